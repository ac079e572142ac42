// Lists and searches the members of a tenant.
import { type Member, normaliseEmail, searchWords, type UserType } from '../../core/members/member.ts';
import type { Tx } from '../store.ts';
import { memberOfRow } from './member.ts';
import { behindAllOf, havingWord } from './member-words.ts';

/** Which members to list; what is left out does not narrow. */
export interface MemberSearch {
  /** The beginnings of words of the name, the beginning of the address, or the member number. */
  readonly text?: string;
  readonly status?: Member['status'];
  readonly userType?: UserType;
  /** The id of the last member of the page before: those who came earlier follow. */
  readonly before?: string;
}

/** The members of a tenant that are not deleted, newest first. Each kind of search reads an index of its own. */
export async function listMembers(
  tx: Tx,
  tenantId: string,
  { text = '', status, userType, before }: MemberSearch,
  limit: number,
  now: number,
): Promise<readonly Member[]> {
  let query = tx
    .selectFrom('members')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('erasedAt', 'is', null)
    .where((eb) => eb.or([eb('deletionDueAt', 'is', null), eb('deletionDueAt', '>', now)]))
    .orderBy('id', 'desc')
    .limit(limit);
  if (text.trim() !== '') query = query.where('id', 'in', foundBy(tx, tenantId, text.trim()));
  if (status !== undefined) query = query.where('status', '=', status);
  if (userType !== undefined) query = query.where('userType', '=', userType);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.execute()).map(memberOfRow);
}

/** The ids of the members that a text finds: by address, by number, or by every one of its words. */
function foundBy(tx: Tx, tenantId: string, text: string) {
  const email = normaliseEmail(text);
  const byEmail = tx
    .selectFrom('members')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('normalisedEmail', '>=', email)
    .where('normalisedEmail', '<', behindAllOf(email));
  const byNumber = tx
    .selectFrom('members')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('memberNumber', '=', Number(text));
  const [first, ...others] = searchWords(text);
  let found = byEmail;
  if (/^\d{1,15}$/.test(text)) found = found.union(byNumber);
  if (first === undefined) return found;
  let byWords = havingWord(tx, tenantId, first);
  for (const word of others) byWords = byWords.where('memberId', 'in', havingWord(tx, tenantId, word));
  return found.union(byWords);
}
