// Queries of browser sessions.
import type { Session, SessionKind, SessionWrite } from '../core/session.ts';
import { prepared, query } from './prepared.ts';
import { changedOne } from './rows.ts';
import type { Tx } from './store.ts';

/** The session of a tenant and a kind whose cookie has this SHA-256, or null (A17). */
export async function findSessionBySecret(
  tx: Tx,
  tenantId: string,
  kind: SessionKind,
  secretHash: string,
): Promise<Session | null> {
  return sessionBySecret.first(tx, { tenantId, kind, secretHash }) ?? null;
}

const sessionBySecret = prepared(
  ({ tenantId, kind, secretHash }: Pick<Session, 'tenantId' | 'kind' | 'secretHash'>) =>
    query
      .selectFrom('sessions')
      .selectAll()
      .where('secretHash', '=', secretHash)
      .where('tenantId', '=', tenantId)
      .where('kind', '=', kind),
);

/** The session of a tenant by the `sid` that tokens carry, or null. */
export async function findSession(tx: Tx, tenantId: string, id: string): Promise<Session | null> {
  return sessionOf.first(tx, { tenantId, id }) ?? null;
}

const sessionOf = prepared(({ tenantId, id }: Pick<Session, 'tenantId' | 'id'>) =>
  query.selectFrom('sessions').selectAll().where('id', '=', id).where('tenantId', '=', tenantId),
);

/** The sessions of a member that have not ended, the newest first: all of them, or those of one page. */
export async function listActiveSessions(
  tx: Tx,
  memberId: string,
  { before, limit }: { readonly before?: string; readonly limit?: number } = {},
): Promise<readonly Session[]> {
  let query = tx
    .selectFrom('sessions')
    .selectAll()
    .where('memberId', '=', memberId)
    .where('state', '=', 'active')
    // The ids tell the time.
    .orderBy('id', 'desc');
  if (before !== undefined) query = query.where('id', '<', before);
  if (limit !== undefined) query = query.limit(limit);
  return query.execute();
}

export async function insertSession(tx: Tx, session: Session): Promise<void> {
  await tx.insertInto('sessions').values(session).execute();
}

export async function moveSession(
  tx: Tx,
  move: Extract<SessionWrite, { write: 'moveSession' }>,
): Promise<void> {
  const { state, secretHash, authenticatedAt, lastUsedAt, userAgent, ipAddress } = move.session;
  const result = await tx
    .updateTable('sessions')
    .set({ state, secretHash, authenticatedAt, lastUsedAt, userAgent, ipAddress })
    .where('id', '=', move.id)
    .where('state', '=', move.from)
    .executeTakeFirst();
  changedOne(result, 'session');
}
