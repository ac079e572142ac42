// The addresses that members had before: kept for a while, for what of them is still in other rows.
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { deleteRows, findRow, rowsWith } from '../rows.ts';
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
  const rows = await rowsWith(tx, 'formerAddresses', { memberId }).execute();
  return rows.map(({ email }) => email);
}

/** Forgets what addresses a member had. */
export async function forgetFormerAddresses(tx: Tx, memberId: string): Promise<void> {
  await deleteRows(tx, 'formerAddresses', { memberId });
}

/** Since when (ms) a member of the tenant has an address, normalised; null where none has it. */
export async function heldSince(tx: Tx, tenantId: string, normalisedEmail: string): Promise<number | null> {
  return (await findRow(tx, 'members', { tenantId, normalisedEmail }))?.emailSince ?? null;
}
