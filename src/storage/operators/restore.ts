import { sql } from 'kysely';
import { type EndedTable, type Move, movesOfRestore } from '../../core/operators/restore.ts';
import type { Tx } from '../store.ts';
import { insertAuditEvent } from './audit-event.ts';

/** How many of each were ended. */
export type Ended = Readonly<Record<EndedTable | 'adminTokens' | 'mails', number>>;

/**
 * Ends everything in a restored database that was issued before, in one transaction: sessions, sign-ins,
 * codes, proofs, tokens of the admin API (one that was revoked since would work again), a set-up link, and
 * mails that wait, since most of them have left by now.
 *
 * @param now ms; access tokens of an earlier second are refused from now on
 */
export async function endEverything(tx: Tx, now: number): Promise<Ended> {
  const { signIns, ...others } = movesOfRestore();
  const ended = {
    authorizationCodes: await moveAll(tx, 'authorizationCodes', others.authorizationCodes),
    deviceCodes: await moveAll(tx, 'deviceCodes', others.deviceCodes),
    emailProofs: await moveAll(tx, 'emailProofs', others.emailProofs),
    sessions: await moveAll(tx, 'sessions', others.sessions),
    adminTokens: await revokeAdminTokens(tx, now),
    mails: await giveUpMails(tx),
  };
  await tx
    .updateTable('signIns')
    .set({ endedAt: now, endReason: 'restored' })
    .where('state', 'in', signIns.map(({ from }) => from) as 'active'[])
    .execute();
  const all = { ...ended, signIns: await moveAll(tx, 'signIns', signIns) };
  // The next start prints a new link, if there is no administrator yet.
  await tx.updateTable('service').set({ setupHash: null }).execute();
  // `iat` has whole seconds.
  await tx
    .updateTable('service')
    .set({ tokensFrom: Math.ceil(now / 1_000) * 1_000 })
    .execute();
  await insertAuditEvent(tx, {
    at: now,
    tenantId: null,
    event: 'service_restored',
    actorKind: 'operator',
    actorId: null,
    target: null,
    clientId: null,
    address: null,
    result: 'done',
    reason: Object.entries(all)
      .map(([table, count]) => `${table} ended: ${count}`)
      .join(', '),
  });
  return all;
}

async function moveAll(tx: Tx, table: EndedTable, moves: readonly Move[]): Promise<number> {
  let count = 0;
  for (const { from, to } of moves) {
    const moved = await sql`update ${sql.table(table)} set state = ${to} where state = ${from}`.execute(tx);
    count += Number(moved.numAffectedRows ?? 0);
  }
  return count;
}

async function revokeAdminTokens(tx: Tx, now: number): Promise<number> {
  const result = await tx
    .updateTable('adminTokens')
    .set({ revokedAt: now })
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

async function giveUpMails(tx: Tx): Promise<number> {
  const result = await tx
    .updateTable('mails')
    .set({ state: 'failed', message: null, lastError: 'restored' })
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
