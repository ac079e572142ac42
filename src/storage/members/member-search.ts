// Lists the members of a tenant: as a search finds them, and whole for exports.
import { type ExpressionBuilder, expressionBuilder, sql } from 'kysely';
import {
  type Member,
  normaliseEmail,
  phoneWord,
  searchWords,
  type UserType,
} from '../../core/members/member.ts';

import { findRow, isDescending, type RowsOf, rowsWith, within } from '../rows.ts';
import type { Database } from '../schema.ts';
import type { Tx } from '../store.ts';
import type { MemberWithPassword } from './member.ts';
import { memberOfRow } from './member-row.ts';

/** Which members to list; what is left out does not narrow. */
export interface MemberSearch {
  /** The beginnings of words of the name, the beginning of the address or the telephone number, or a number. */
  readonly search?: string;
  /** Only the member of this id. */
  readonly memberId?: string;
  readonly status?: Member['status'];
  readonly userType?: UserType | 'any_admin';
  /** By creation time or by address; with a dash, the last ones first. */
  readonly sort?: 'createdAt' | '-createdAt' | 'email' | '-email';
  /** The last member of the page before, or the id: those behind that one follow. Of an id it is asked where it stands. */
  readonly before?: string | Pick<Member, 'id' | 'email'>;
}

/** The members of a tenant that are not deleted, newest first unless said. Each kind of search reads an index of its own. */
export async function listMembers(
  tx: Tx,
  tenantId: string,
  { search = '', memberId, status, userType, before, sort = '-createdAt' }: MemberSearch,
  limit: number,
  now: number,
): Promise<readonly Member[]> {
  const narrowed = ofFew(rowsWith(tx, 'members', { tenantId, erasedAt: null }), { status, userType });
  let query = narrowed.where((eb) => eb.or([eb('deletionDueAt', 'is', null), eb('deletionDueAt', '>', now)]));
  if (memberId !== undefined) query = query.where('id', '=', memberId);
  const text = search.trim();
  if (text !== '') {
    const found = foundBy(tx, tenantId, text);
    query = (await isCommon(found)) ? query.where((eb) => isFound(eb, text)) : query.where('id', 'in', found);
  }
  const isByAddress = sort === 'email' || sort === '-email';
  const behind = { isDescending: isDescending(sort), limit };
  const rows = isByAddress
    ? within(query, 'normalisedEmail', { ...behind, after: await addressOf(tx, tenantId, before) })
    : within(query, 'id', { ...behind, after: typeof before === 'object' ? before.id : before });
  return (await rows.execute()).map(memberOfRow);
}

/** The address that a page begins behind. Where another tenant's member would stand tells that one's address. */
async function addressOf(
  tx: Tx,
  tenantId: string,
  before: MemberSearch['before'],
): Promise<string | undefined> {
  if (typeof before !== 'string') return before && normaliseEmail(before.email);
  return (await findRow(tx, 'members', { tenantId, id: before, erasedAt: null }))?.normalisedEmail;
}

/** Where a text finds so many members, they are gone through newest first until a page of them is full. */
const commonFrom = 5_000;

/** Whether a text finds so many members that to collect them takes longer than to look at one after another. */
async function isCommon(found: ReturnType<typeof foundBy>): Promise<boolean> {
  return (await found.limit(commonFrom).execute()).length === commonFrom;
}

/** Narrows members, as literals: indexes of their own hold those who may not sign in, and those who administer. */
function ofFew(
  query: RowsOf<'members'>,
  { status, userType }: { readonly [Name in 'status' | 'userType']: MemberSearch[Name] | undefined },
) {
  let narrowed = query;
  if (status !== undefined) narrowed = narrowed.where('status', '=', sql.lit(status));
  if (userType !== undefined && userType !== 'any_admin') {
    narrowed = narrowed.where('userType', '=', sql.lit(userType));
  }
  if (userType !== undefined && userType !== 'member') {
    narrowed = narrowed.where('userType', '<>', sql.lit('member' as const));
  }
  return narrowed;
}

/**
 * The ids of the members that a text finds: by address, by telephone number, by the numbers of account and membership,
 * or by every one of its words.
 */
function foundBy(tx: Tx, tenantId: string, text: string) {
  const own = tx.selectFrom('members').select('id').where('tenantId', '=', tenantId);
  const email = normaliseEmail(text);
  let found = own.where('normalisedEmail', '>=', email).where('normalisedEmail', '<', behindAllOf(email));
  const number = numberIn(text);
  if (number !== null) {
    found = found.unionAll(own.where('userId', '=', number)).unionAll(own.where('memberNumber', '=', number));
  }
  const phone = phoneWord(text);
  if (phone !== null) found = found.unionAll(havingWord(tx, tenantId, phone));
  const [first, ...others] = searchWords(text);
  if (first === undefined) return found;
  let byWords = havingWord(tx, tenantId, first);
  for (const word of others) byWords = byWords.where('memberId', 'in', havingWord(tx, tenantId, word));
  return found.unionAll(byWords);
}

/** Whether a text finds a member: the same question, asked of one of them. */
export function isFound(eb: ExpressionBuilder<Database, 'members'>, text: string) {
  const begins = (word: string) => hasWord('members.id', word);
  const email = normaliseEmail(text);
  const number = numberIn(text);
  const phone = phoneWord(text);
  const words = searchWords(text);
  return eb.or([
    eb.and([eb('normalisedEmail', '>=', email), eb('normalisedEmail', '<', behindAllOf(email))]),
    ...(number === null ? [] : [eb('userId', '=', number), eb('memberNumber', '=', number)]),
    ...(phone === null ? [] : [begins(phone)]),
    ...(words.length === 0 ? [] : [eb.and(words.map(begins))]),
  ]);
}

/** Whether a member has a word that begins like this one. @param memberId the column of the member's id */
export function hasWord(memberId: 'members.id' | 'seats.memberId', beginning: string) {
  const { exists, selectFrom } = expressionBuilder<Database>();
  return exists(
    selectFrom('memberWords')
      .select('word')
      .where('memberWords.memberId', '=', sql.ref<string>(memberId))
      .where('word', '>=', beginning)
      .where('word', '<', behindAllOf(beginning)),
  );
}

const numberIn = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/** The ids of the members of a tenant with a word that begins like this one. */
function havingWord(tx: Tx, tenantId: string, beginning: string) {
  return tx
    .selectFrom('memberWords')
    .select('memberId as id')
    .where('tenantId', '=', tenantId)
    .where('word', '>=', beginning)
    .where('word', '<', behindAllOf(beginning));
}

/** What sorts behind every text with this beginning: texts are compared byte by byte. */
const behindAllOf = (beginning: string) => `${beginning}\u{10ffff}`;

/**
 * The members of a tenant with everything that is stored of them, the hash of the password too, by userId.
 * Members who asked to be deleted are not among them.
 *
 * @param after the userId that they come behind
 */
export async function listWholeMembers(
  tx: Tx,
  tenantId: string,
  most: number,
  after = 0,
): Promise<readonly MemberWithPassword[]> {
  const members = rowsWith(tx, 'members', { tenantId, erasedAt: null, deletionDueAt: null });
  const rows = await members.where('userId', '>', after).orderBy('userId').limit(most).execute();
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
  const isTaken = async (values: MemberNumbers & { readonly tenantId?: string }) =>
    (await findRow(tx, 'members', values)) !== null;
  const taken: (keyof MemberNumbers)[] = [];
  if (id !== undefined && (await isTaken({ id }))) taken.push('id');
  if (userId !== undefined && (await isTaken({ tenantId, userId }))) taken.push('userId');
  if (memberNumber !== undefined && (await isTaken({ tenantId, memberNumber }))) taken.push('memberNumber');
  return taken;
}
