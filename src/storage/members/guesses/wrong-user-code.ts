// Queries of the wrong user codes that members entered.
import { wrongUserCodes } from '../../../core/limits.ts';
import { clockTolerance } from '../../../core/operators/limits.ts';
import { deleteRows, whole } from '../../rows.ts';
import type { Tx } from '../../store.ts';
import type { WrongUserCodeRow } from '../schema.ts';

/** Whom a wrong code counts for. */
export type Guesser = Pick<WrongUserCodeRow, 'tenantId' | 'memberId' | 'address'>;

/** A code as it was entered, and the browser it was entered in. */
export type EnteredUserCode = Pick<WrongUserCodeRow, 'userCodeHash' | 'browserHash'>;

/** Stands for the code where a decision is counted on a code that was never entered. */
const noCode: EnteredUserCode = { userCodeHash: '', browserHash: '' };

/**
 * The wrong entries of the last 15 minutes; they are on the disk, so a restart forgives nothing. Those that lie
 * further ahead than the clocks of processes differ were written before the clock was set back, and would count for as
 * long as that step.
 */
function recent(tx: Tx, now: number) {
  return tx
    .selectFrom('wrongUserCodes')
    .where('enteredAt', '>', now - wrongUserCodes.window)
    .where('enteredAt', '<=', now + clockTolerance);
}

/** How many wrong entries count: of the member, of the address and of the tenant. */
export async function countWrongUserCodes(tx: Tx, { tenantId, memberId, address }: Guesser, now: number) {
  const count = async (by: Partial<Guesser>) => {
    const entries = recent(tx, now).where(({ and }) => and(whole({ tenantId, ...by })));
    return (await entries.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow())
      .count;
  };
  return {
    ofMember: await count({ memberId }),
    ofAddress: await count({ address }),
    ofTenant: await count({}),
  };
}

/** When a member entered the wrong codes that count (ms), oldest first. */
export async function listWrongUserCodes(tx: Tx, memberId: string, now: number): Promise<readonly number[]> {
  const entries = recent(tx, now).select('enteredAt').where('memberId', '=', memberId);
  return (await entries.orderBy('enteredAt').execute()).map(({ enteredAt }) => enteredAt);
}

/** Forgets the wrong entries of a member and lets the member in again; those of the address and the tenant too. */
export async function clearWrongUserCodes(tx: Tx, memberId: string): Promise<void> {
  await deleteRows(tx, 'wrongUserCodes', { memberId });
}

/** Whether a member's wrong code is counted already, since this browser sent it before (decision 45). */
export async function isCountedUserCode(
  tx: Tx,
  { tenantId, memberId }: Guesser,
  { userCodeHash, browserHash }: EnteredUserCode,
  now: number,
): Promise<boolean> {
  const same = { tenantId, memberId, userCodeHash, browserHash };
  const entries = recent(tx, now).where(({ and }) => and(whole(same)));
  return (await entries.select('enteredAt').executeTakeFirst()) !== undefined;
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
