// Queries of the wrong user codes that members entered.
import { wrongUserCodes } from '../../core/limits.ts';
import type { WrongUserCodeRow } from '../schema.ts';
import type { Tx } from '../store.ts';

/** Whom a wrong code counts for. */
export type Guesser = Pick<WrongUserCodeRow, 'tenantId' | 'memberId' | 'address'>;

/** A code as it was entered, and the browser it was entered in. */
export type EnteredUserCode = Pick<WrongUserCodeRow, 'userCodeHash' | 'browserHash'>;

/** What is counted of a decision on a code that was never entered. */
const noCode: EnteredUserCode = { userCodeHash: '', browserHash: '' };

/** How many wrong user codes were entered lately, by whom and where from. */
export interface WrongUserCodeCounts {
  readonly ofMember: number;
  readonly ofAddress: number;
  readonly ofTenant: number;
}

/**
 * Counts the wrong entries of the last 15 minutes; they are on the disk, so a restart forgives nothing. Those
 * that lie ahead were written before the clock was set back, and would count for as long as that step.
 */
export async function countWrongUserCodes(
  tx: Tx,
  { tenantId, memberId, address }: Guesser,
  now: number,
): Promise<WrongUserCodeCounts> {
  const since = now - wrongUserCodes.window;
  const entries = tx
    .selectFrom('wrongUserCodes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenantId)
    .where('enteredAt', '>', since)
    .where('enteredAt', '<=', now);
  const [ofMember, ofAddress, ofTenant] = [
    await entries.where('memberId', '=', memberId).executeTakeFirstOrThrow(),
    await entries.where('address', '=', address).executeTakeFirstOrThrow(),
    await entries.executeTakeFirstOrThrow(),
  ];
  return { ofMember: ofMember.count, ofAddress: ofAddress.count, ofTenant: ofTenant.count };
}

/** When a member entered the wrong codes that count (ms), oldest first. */
export async function listWrongUserCodes(tx: Tx, memberId: string, now: number): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom('wrongUserCodes')
    .select('enteredAt')
    .where('memberId', '=', memberId)
    .where('enteredAt', '>', now - wrongUserCodes.window)
    .where('enteredAt', '<=', now)
    .orderBy('enteredAt')
    .execute();
  return rows.map(({ enteredAt }) => enteredAt);
}

/** Forgets the wrong entries of a member, who is let in again; those of the address and the tenant too. */
export async function clearWrongUserCodes(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('wrongUserCodes').where('memberId', '=', memberId).execute();
}

/** Whether a member's wrong code is counted already, since this browser sent it before (decision 45). */
export async function isCountedUserCode(
  tx: Tx,
  { tenantId, memberId }: Guesser,
  { userCodeHash, browserHash }: EnteredUserCode,
  now: number,
): Promise<boolean> {
  const found = await tx
    .selectFrom('wrongUserCodes')
    .select('enteredAt')
    .where('memberId', '=', memberId)
    .where('enteredAt', '>', now - wrongUserCodes.window)
    .where('enteredAt', '<=', now)
    .where('tenantId', '=', tenantId)
    .where('userCodeHash', '=', userCodeHash)
    .where('browserHash', '=', browserHash)
    .executeTakeFirst();
  return found !== undefined;
}

/** Records a wrong entry, and drops what has become too old to count. */
export async function insertWrongUserCode(
  tx: Tx,
  guesser: Guesser,
  now: number,
  enteredAt: number,
  entered: EnteredUserCode = noCode,
): Promise<void> {
  await tx
    .deleteFrom('wrongUserCodes')
    .where('tenantId', '=', guesser.tenantId)
    .where('enteredAt', '<=', now - wrongUserCodes.window)
    .execute();
  await tx
    .insertInto('wrongUserCodes')
    .values({ ...guesser, ...entered, enteredAt })
    .execute();
}

/** Deletes wrong entries of a tenant that are too old to count, some at a time. @returns how many were deleted */
export async function deleteWrongUserCodes(
  tx: Tx,
  tenantId: string,
  now: number,
  some: number,
): Promise<number> {
  const old = tx
    .selectFrom('wrongUserCodes')
    .select('enteredAt')
    .where('tenantId', '=', tenantId)
    .where('enteredAt', '<=', now - wrongUserCodes.window)
    .orderBy('enteredAt')
    .limit(some);
  // They have no key of their own: the oldest go by their time, with those of the same millisecond.
  const result = await tx
    .deleteFrom('wrongUserCodes')
    .where('tenantId', '=', tenantId)
    .where('enteredAt', 'in', old)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
