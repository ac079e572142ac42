// Reads members with everything stored of them, for exports and imports.
import type { Member } from '../../core/members/member.ts';
import type { Tx } from '../store.ts';
import { type MemberWithPassword, memberOfRow } from './member.ts';

/**
 * The members of a tenant with everything that is stored of them, the hash of the password too, by userId.
 * Members who asked to be deleted are not among them.
 */
export async function listWholeMembers(
  tx: Tx,
  tenantId: string,
  most: number,
): Promise<readonly MemberWithPassword[]> {
  const rows = await tx
    .selectFrom('members')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('erasedAt', 'is', null)
    .where('deletionDueAt', 'is', null)
    .orderBy('userId')
    .limit(most)
    .execute();
  return rows.map((row) => ({ member: memberOfRow(row), passwordHash: row.passwordHash }));
}

/** What names a member beside the address. */
export type MemberNumbers = Partial<Pick<Member, 'id' | 'userId' | 'memberNumber'>>;

/** Which of them are, or were, another member's: an id on any tenant, a number on this one. */
export async function takenNumbers(
  tx: Tx,
  tenantId: string,
  { id, userId, memberNumber }: MemberNumbers,
): Promise<readonly (keyof MemberNumbers)[]> {
  const taken: (keyof MemberNumbers)[] = [];
  const members = tx.selectFrom('members').select('id');
  if (id !== undefined && (await members.where('id', '=', id).executeTakeFirst()) !== undefined)
    taken.push('id');
  const ofTenant = members.where('tenantId', '=', tenantId);
  for (const [name, number] of [
    ['userId', userId],
    ['memberNumber', memberNumber],
  ] as const) {
    if (number === undefined) continue;
    if ((await ofTenant.where(name, '=', number).executeTakeFirst()) !== undefined) taken.push(name);
  }
  return taken;
}
