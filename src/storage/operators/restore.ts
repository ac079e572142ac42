// Ends everything in a restored database that was issued before.
import { sql } from 'kysely';
import { eventsOf } from '../../core/events/change.ts';
import { skippedAtRestore } from '../../core/events/limits.ts';
import type { SignInEnd } from '../../core/grants/sign-in.ts';
import type { Move } from '../../core/machine.ts';
import { lastStepAt } from '../../core/members/second-factor.ts';
import { auditEvent, type Source, serviceSource } from '../../core/operators/audit-event.ts';
import { type EndedTable, movesOfRestore } from '../../core/operators/restore.ts';
import { insertEvent, skipEventNumbers } from '../events/event.ts';
import { tellEnds } from '../grants/sign-in.ts';
import { forgetRemembered, mayTakeLong } from '../prepared.ts';
import { updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';
import { insertAuditEvent } from './audit-event.ts';

/** How many of each were ended. */
export type Ended = Readonly<Record<EndedTable | 'adminTokens' | 'mails', number>>;

/**
 * Ends everything in a restored database that was issued before, in one transaction: what signs members in, tokens of
 * the admin API (one that was revoked since would work again), a set-up link, and mails that wait, since most of them
 * have left by now.
 *
 * @param now ms; access tokens of an earlier second are refused from now on
 */
export async function endEverything(tx: Tx, now: number): Promise<Ended> {
  const { signIns, ...others } = await endAllSignIns(tx, 'restored', now);
  const all = {
    ...others,
    adminTokens: await updateRows(tx, 'adminTokens', { revokedAt: null }, { revokedAt: now }),
    mails: await giveUpMails(tx, 'restored'),
    signIns,
  };
  for (const { id } of await tx.selectFrom('tenants').select('id').execute()) {
    for (const event of eventsOf({ write: 'restoreTenant', tenantId: id })) await insertEvent(tx, event, now);
  }
  await skipEventNumbers(tx, skippedAtRestore);
  // A browser may have been distrusted since.
  await tx
    .updateTable('knownBrowsers')
    .set({ trustedUntil: null })
    .where('trustedUntil', 'is not', null)
    .execute();
  // Digits that were used since would be good again; recovery codes are (decision 54).
  await updateRows(tx, 'secondFactors', {}, { lastStep: lastStepAt(now) });
  // The next start prints a new link, if there is no administrator yet.
  await updateRows(tx, 'service', {}, { setupHash: null });
  await auditEnded(tx, 'service_restored', all, now);
  return all;
}

/** Writes down what ended for all members, and how many of each. @param ended by the name of what they are */
export async function auditEnded(
  tx: Tx,
  event: 'service_restored' | 'master_key_lost',
  ended: Readonly<Record<string, number>>,
  now: number,
): Promise<void> {
  const counts = Object.entries(ended).map(([table, count]) => `${table} ended: ${count}`);
  const source: Source = { ...serviceSource(now), actorKind: 'operator' };
  await insertAuditEvent(tx, auditEvent(source, { event, reason: counts.join(', ') }));
}

/**
 * Ends what signs members in, of all tenants at once: sessions, sign-ins, codes and proofs.
 *
 * @param now ms; access tokens of an earlier second are refused from now on
 */
export async function endAllSignIns(
  tx: Tx,
  reason: SignInEnd,
  now: number,
): Promise<Readonly<Record<EndedTable, number>>> {
  const { signIns, ...others } = movesOfRestore();
  await mayTakeLong(tx);
  await tellEnds(tx, reason, now, (all) => all);
  await tx
    .updateTable('signIns')
    .set({ endedAt: now, endReason: reason })
    .where('state', 'in', signIns.map(({ from }) => from) as 'active'[])
    .execute();
  // `iat` has whole seconds.
  await updateRows(tx, 'service', {}, { tokensFrom: Math.ceil(now / 1_000) * 1_000 });
  await forgetRemembered(tx);
  return {
    authorizationCodes: await moveAll(tx, 'authorizationCodes', others.authorizationCodes),
    deviceCodes: await moveAll(tx, 'deviceCodes', others.deviceCodes),
    emailProofs: await moveAll(tx, 'emailProofs', others.emailProofs),
    sessions: await moveAll(tx, 'sessions', others.sessions),
    signIns: await moveAll(tx, 'signIns', signIns),
  };
}

async function moveAll(tx: Tx, table: EndedTable, moves: readonly Move[]): Promise<number> {
  let count = 0;
  for (const { from, to } of moves) {
    const moved = await sql`update ${sql.table(table)} set state = ${to} where state = ${from}`.execute(tx);
    count += Number(moved.numAffectedRows ?? 0);
  }
  return count;
}

/** Gives up every mail that waits. @param why for the operator. @returns how many */
export async function giveUpMails(tx: Tx, why: string): Promise<number> {
  const failed = { state: 'failed', lastError: why } as const;
  return updateRows(tx, 'mails', { state: 'waiting' }, { ...failed, message: null, recipientHash: null });
}
