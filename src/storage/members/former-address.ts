// The addresses that members had before: kept for a while, for what of them is still in other rows.
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import type { Tx } from '../store.ts';

/**
 * Remembers the address that a member is about to give up.
 *
 * @param member with the new address
 * @returns false if it is the old one
 */
export async function noteFormerAddress(
  tx: Tx,
  { id, email, updatedAt }: Pick<Member, 'id' | 'email' | 'updatedAt'>,
): Promise<boolean> {
  const old = await tx
    .selectFrom('members')
    .select('normalisedEmail')
    .where('id', '=', id)
    .where('normalisedEmail', '!=', normaliseEmail(email))
    .executeTakeFirst();
  if (old === undefined) return false;
  await tx
    .replaceInto('formerAddresses')
    .values({ memberId: id, email: old.normalisedEmail, givenUpAt: updatedAt })
    .execute();
  return true;
}

/** The addresses, normalised, that a member gave up of late. */
export async function listFormerAddresses(tx: Tx, memberId: string): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('formerAddresses')
    .select('email')
    .where('memberId', '=', memberId)
    .execute();
  return rows.map(({ email }) => email);
}

/** Forgets what addresses a member had. */
export async function forgetFormerAddresses(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('formerAddresses').where('memberId', '=', memberId).execute();
}

/** Deletes addresses that were given up before a time (ms), at most so many. @returns how many were deleted */
export async function deleteFormerAddresses(tx: Tx, before: number, atMost: number): Promise<number> {
  const over = await tx
    .selectFrom('formerAddresses')
    .select(['memberId', 'email'])
    .where('givenUpAt', '<', before)
    .limit(atMost)
    .execute();
  for (const { memberId, email } of over) {
    await tx
      .deleteFrom('formerAddresses')
      .where('memberId', '=', memberId)
      .where('email', '=', email)
      .execute();
  }
  return over.length;
}

/** Since when (ms) a member of the tenant has an address, normalised; null where none has it. */
export async function heldSince(tx: Tx, tenantId: string, email: string): Promise<number | null> {
  const row = await tx
    .selectFrom('members')
    .select('emailSince')
    .where('tenantId', '=', tenantId)
    .where('normalisedEmail', '=', email)
    .executeTakeFirst();
  return row?.emailSince ?? null;
}
