// The words that members are found by.
import { type Member, searchWords } from '../../core/members/member.ts';
import type { Tx } from '../store.ts';

/** Stores the words that a member is found by, in place of those before. */
export async function saveMemberWords(
  tx: Tx,
  { id, tenantId, fullName, nickName }: Pick<Member, 'id' | 'tenantId' | 'fullName' | 'nickName'>,
): Promise<void> {
  await deleteMemberWords(tx, id);
  for (const word of searchWords(`${fullName} ${nickName}`)) {
    await tx.insertInto('memberWords').values({ tenantId, word, memberId: id }).execute();
  }
}

/** A member who is deleted is found by no name any more. */
export async function deleteMemberWords(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('memberWords').where('memberId', '=', memberId).execute();
}

/** The ids of the members of a tenant with a word that begins like this one. */
export function havingWord(tx: Tx, tenantId: string, beginning: string) {
  return tx
    .selectFrom('memberWords')
    .select('memberId as id')
    .where('tenantId', '=', tenantId)
    .where('word', '>=', beginning)
    .where('word', '<', behindAllOf(beginning));
}

/** What sorts behind every text with this beginning: texts are compared byte by byte. */
export function behindAllOf(beginning: string): string {
  return `${beginning}\u{10ffff}`;
}
