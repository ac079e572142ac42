// Queries of browser sessions.
import type { Session, SessionKind, SessionWrite } from '../../core/session.ts';
import { insertion, lookup, prepared, query, unplanned } from '../prepared.ts';
import { type NewestPage, newest, rowsWith, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The session of a tenant and a kind whose cookie has this SHA-256, or null (A17). */
export async function findSessionBySecret(
  tx: Tx,
  tenantId: string,
  kind: SessionKind,
  secretHash: string,
): Promise<Session | null> {
  return sessionBySecret.first(tx, { tenantId, kind, secretHash });
}

const sessionBySecret = lookup('sessions', 'secretHash', 'tenantId', 'kind');

/** The session of a tenant by the `sid` that tokens carry, or null. */
export async function findSession(tx: Tx, tenantId: string, id: string): Promise<Session | null> {
  return sessionOf.first(tx, { tenantId, id });
}

const sessionOf = lookup('sessions', 'id', 'tenantId');

/** The sessions of a member that have not ended, the newest first, since the ids tell the time. */
export async function listActiveSessions(
  tx: Tx,
  memberId: string,
  page?: NewestPage<string>,
): Promise<readonly Session[]> {
  return newest(rowsWith(tx, 'sessions', { memberId, state: 'active' }), 'id', page).execute();
}

/** What browsers said they are, by the ids of their sessions; of a session that is gone nothing is known. */
export async function userAgentsOf(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = tx.selectFrom('sessions').select(['id', 'userAgent']).where('tenantId', '=', tenantId);
  return new Map((await rows.where('id', 'in', ids).execute()).map(({ id, userAgent }) => [id, userAgent]));
}

export const insertSession = insertion('sessions');

export async function moveSession(
  tx: Tx,
  { id, from, session }: Extract<SessionWrite, { write: 'moveSession' }>,
): Promise<void> {
  const { state, secretHash, authenticatedAt, lastUsedAt, userAgent, ipAddress, amr, strongAt } = session;
  const changes = { state, secretHash, authenticatedAt, lastUsedAt, userAgent, ipAddress, amr, strongAt };
  await updateRow(tx, 'sessions', { id, state: from }, changes);
}

/** Addresses as text, from one to another, both among them. */
export interface AddressRange {
  readonly from: string;
  readonly to: string;
}

/** Whether a browser or a TV of the tenant has finished a sign-in from one of these addresses, until they are erased. */
export async function hasSignedInFrom(
  tx: Tx,
  tenantId: string,
  ranges: readonly AddressRange[],
): Promise<boolean> {
  for (const range of ranges) {
    if ((await usedCode.first(tx, { tenantId, ...range })) !== null) return true;
    if ((await sessionFrom.first(tx, { tenantId, ...range })) !== null) return true;
  }
  return false;
}

type Asked = AddressRange & { readonly tenantId: string };

const usedCode = prepared(({ tenantId, from, to }: Asked) =>
  query
    .selectFrom('deviceCodes')
    .select('ipAddress')
    .where('tenantId', '=', tenantId)
    .where('state', '=', 'used')
    .where('ipAddress', '>=', unplanned(from, 'text'))
    .where('ipAddress', '<=', unplanned(to, 'text'))
    .limit(1),
);

const sessionFrom = prepared(({ tenantId, from, to }: Asked) =>
  query
    .selectFrom('sessions')
    .select('ipAddress')
    .where('tenantId', '=', tenantId)
    .where('ipAddress', '>=', unplanned(from, 'text'))
    .where('ipAddress', '<=', unplanned(to, 'text'))
    .limit(1),
);
