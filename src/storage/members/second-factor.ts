// Queries of second factors.
import type { Member } from '../../core/members/member.ts';
import type { SecondFactor } from '../../core/members/second-factor.ts';
import { tell } from '../events/event.ts';
import { lookup } from '../prepared.ts';
import { deleteRows, fromList, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The second factor of a member, or null. */
export async function findSecondFactor(tx: Tx, memberId: string): Promise<SecondFactor | null> {
  const row = await factorOf.first(tx, { memberId });
  return row === null ? null : { ...row, recoveryHashes: fromList(row.recoveryHashes) };
}

const factorOf = lookup('secondFactors', 'memberId');

/** Keeps a second factor in the place of the one that the member had, if any. */
export async function saveSecondFactor(tx: Tx, factor: SecondFactor): Promise<void> {
  const { memberId, ...row } = { ...factor, recoveryHashes: JSON.stringify(factor.recoveryHashes) };
  await tx
    .insertInto('secondFactors')
    .values({ memberId, ...row })
    .onConflict((conflict) => conflict.column('memberId').doUpdateSet(row))
    .execute();
  await tell(tx, { write: 'saveSecondFactor', of: factor });
}

/** Keeps what was used of a second factor, and its new recovery codes. */
export async function updateSecondFactor(
  tx: Tx,
  { memberId, lastStep, recoveryHashes }: Pick<SecondFactor, 'memberId' | 'lastStep' | 'recoveryHashes'>,
): Promise<void> {
  await updateRow(
    tx,
    'secondFactors',
    { memberId },
    { lastStep, recoveryHashes: JSON.stringify(recoveryHashes) },
  );
}

/** @returns whether there was one */
export async function deleteSecondFactor(
  tx: Tx,
  { id: memberId, tenantId }: Pick<Member, 'id' | 'tenantId'>,
): Promise<boolean> {
  if ((await deleteRows(tx, 'secondFactors', { memberId })) === 0) return false;
  await tell(tx, { write: 'deleteSecondFactor', of: { tenantId, memberId } });
  return true;
}
