// Queries of consents and of members' answers to them.
import { sql } from 'kysely';
import type { Consent, ConsentChange, ConsentStatus } from '../../core/access/consent.ts';
import type { Member } from '../../core/members/member.ts';
import { insertion } from '../prepared.ts';
import {
  findRow,
  fromFlag,
  given,
  isDescending,
  type ListPage,
  newest,
  rowsWith,
  toFlag,
  within,
} from '../rows.ts';
import type { Tx } from '../store.ts';
import type { ConsentRow } from './schema.ts';

/** What a tenant asks for now, by id; what it no longer asks for is left out. */
export async function listConsents(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly Consent[]> {
  const asked = rowsWith(tx, 'consents', { tenantId, retiredAt: null });
  return (await within(asked, 'id', page).execute()).map(consentOf);
}

/** Those of what a tenant asks for now that are named, by id. */
export async function findConsents(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly Consent[]> {
  if (ids.length === 0) return [];
  const asked = rowsWith(tx, 'consents', { tenantId, retiredAt: null }).where('id', 'in', ids);
  return (await asked.orderBy('id').execute()).map(consentOf);
}

const consentOf = (row: ConsentRow): Consent => ({
  ...row,
  atSignUp: fromFlag(row.atSignUp),
  atCheckout: fromFlag(row.atCheckout),
});

/** What a tenant asks for or ever asked for, by id. */
export async function listEveryConsent(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly Consent[]> {
  return (await within(rowsWith(tx, 'consents', { tenantId }), 'id', page).execute()).map(consentOf);
}

/** Stores a consent, or changes the one of that id; answers given before keep the words they answered. */
export async function saveConsent(tx: Tx, consent: Consent): Promise<void> {
  const { tenantId, id, name, description, retiredAt } = consent;
  const changes = {
    name,
    description,
    retiredAt,
    atSignUp: toFlag(consent.atSignUp),
    atCheckout: toFlag(consent.atCheckout),
  };
  await tx
    .insertInto('consents')
    .values({ tenantId, id, ...changes })
    .onConflict((conflict) => conflict.columns(['tenantId', 'id']).doUpdateSet(changes))
    .execute();
}

/** Every answer of a member, oldest first: for the file of the member's data, since it may be long. */
export async function listConsentChanges(tx: Tx, memberId: string): Promise<readonly ConsentChange[]> {
  const rows = await rowsWith(tx, 'consentChanges', { memberId }).orderBy('id').execute();
  return rows.map(({ id: _, ...change }) => change);
}

/** The newest answers of a member, newest first. */
export async function listNewestConsentChanges(
  tx: Tx,
  memberId: string,
  limit: number,
): Promise<readonly ConsentChange[]> {
  const rows = await newest(rowsWith(tx, 'consentChanges', { memberId }), 'id', { limit }).execute();
  return rows.map(({ id: _, ...change }) => change);
}

/**
 * The last answer of a member to each consent of the tenant, or to those that are named, in as many steps as there are
 * consents.
 */
export async function listLastConsentChanges(
  tx: Tx,
  { tenantId, id: memberId }: Pick<Member, 'tenantId' | 'id'>,
  ids?: readonly string[],
): Promise<readonly ConsentChange[]> {
  if (ids?.length === 0) return [];
  let query = tx
    .selectFrom('consents')
    .innerJoin('consentChanges', (join) =>
      join.on('consentChanges.id', '=', (eb) =>
        eb
          .selectFrom('consentChanges as given')
          .select(({ fn }) => fn.max('given.id').as('last'))
          .where('given.memberId', '=', memberId)
          .whereRef('given.consentId', '=', 'consents.id'),
      ),
    )
    .selectAll('consentChanges')
    .where('consents.tenantId', '=', tenantId)
    .orderBy('consents.id');
  if (ids !== undefined) query = query.where('consents.id', 'in', ids);
  return (await query.execute()).map(({ id: _, ...change }) => change);
}

export const insertConsentChange = insertion('consentChanges');

/** An answer as it was given, with its member and whether it still holds: a business has to show who agreed to what. */
export interface ConsentAnswer extends ConsentChange {
  readonly id: number;
  /** null of a member who was deleted: the answer stays, and names no person. */
  readonly email: string | null;
  readonly memberName: string | null;
  /** Whether it is the member's last answer to the consent. */
  readonly holds: boolean;
}

/** Which answers to list; what is left out does not narrow. */
export interface ConsentAnswerFilter {
  readonly consentId?: string;
  readonly memberId?: string;
  readonly status?: ConsentStatus;
  /** Those that hold, or those that another one has followed. */
  readonly holds?: boolean;
  /** ms; `from` is included, `until` is not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** The newest first unless it is `changedAt`. */
  readonly sort?: 'changedAt' | '-changedAt' | undefined;
  /** The id of the last answer of the page before: those behind it follow. */
  readonly before?: number;
  /** The last answer that is looked at. */
  readonly upTo?: Place | undefined;
}

/** Where an answer stands: by time, then by id. */
type Place = Pick<ConsentAnswer, 'id' | 'changedAt'>;

/** Answers by time, then by id. Each part is read in the order of its index. */
export async function listConsentAnswers(
  tx: Tx,
  tenantId: string,
  filter: ConsentAnswerFilter,
  limit: number,
): Promise<readonly ConsentAnswer[]> {
  const behind = await lastOf(tx, tenantId, filter);
  const found: ConsentAnswer[] = [];
  for (const status of partsOf(filter)) {
    found.push(...(await listPart(tx, tenantId, { ...filter, status }, behind, limit)));
  }
  return found.toSorted(inOrderOf(filter)).slice(0, limit);
}

/**
 * The same, looking at no more than so many answers where whether one holds is asked of those of all members: no index
 * has it.
 *
 * @returns the answers, and the last one that was looked at where there may be more behind it
 */
export async function lookAtConsentAnswers(
  tx: Tx,
  tenantId: string,
  filter: ConsentAnswerFilter,
  limit: number,
  most: number,
): Promise<{ readonly found: readonly ConsentAnswer[]; readonly lookedAt: Place | null }> {
  const isAsked = filter.holds !== undefined && filter.memberId === undefined;
  const end = isAsked ? await endOfLook(tx, tenantId, filter, most) : null;
  const found = await listConsentAnswers(tx, tenantId, { ...filter, upTo: end ?? undefined }, limit);
  return { found, lookedAt: found.length < limit ? end : null };
}

/** Where the look ends first, in any part. */
async function endOfLook(
  tx: Tx,
  tenantId: string,
  filter: ConsentAnswerFilter,
  most: number,
): Promise<Place | null> {
  const { consentId, from, until } = filter;
  const last = await lastOf(tx, tenantId, filter);
  const [order, upTo, beyond] = orderOf(filter);
  const ends: Place[] = [];
  for (const status of partsOf(filter)) {
    let query = tx
      .selectFrom('consentChanges as answer')
      .select(['answer.id', 'answer.changedAt'])
      .where(({ and }) => and({ tenantId, status, ...given({ consentId }) }));
    if (from !== undefined) query = query.where('changedAt', '>=', from);
    if (until !== undefined) query = query.where('changedAt', '<', until);
    if (last !== null) query = query.where(isBeyond(last, upTo, beyond));
    const end = await query
      .orderBy('changedAt', order)
      .orderBy('id', order)
      .limit(1)
      .offset(most - 1)
      .executeTakeFirst();
    if (end !== undefined) ends.push(end);
  }
  return ends.toSorted(inOrderOf(filter))[0] ?? null;
}

const partsOf = ({ status }: ConsentAnswerFilter): readonly ConsentStatus[] =>
  status === undefined ? ['accepted', 'withdrawn'] : [status];

const isFalling = ({ sort = '-changedAt' }: ConsentAnswerFilter) => isDescending(sort);

const orderOf = (filter: ConsentAnswerFilter) =>
  isFalling(filter) ? (['desc', '<=', '<'] as const) : (['asc', '>=', '>'] as const);

/** Compares places in the order of a list. */
function inOrderOf(filter: ConsentAnswerFilter) {
  const sign = isFalling(filter) ? 1 : -1;
  return (a: Place, b: Place) => sign * (b.changedAt - a.changedAt || b.id - a.id);
}

/** The place that a page begins behind: behind an answer that is not there, there is none. */
async function lastOf(
  tx: Tx,
  tenantId: string,
  { before, ...filter }: ConsentAnswerFilter,
): Promise<Place | null> {
  if (before === undefined) return null;
  const last = await findRow(tx, 'consentChanges', { tenantId, id: before });
  return { id: before, changedAt: last?.changedAt ?? (isFalling(filter) ? 0 : Number.MAX_SAFE_INTEGER) };
}

/** The condition of what stands on one side of a place, and of the place itself where that counts. */
function isBeyond({ id, changedAt }: Place, upTo: '<=' | '>=', beyond: '<' | '>', at: string = beyond) {
  const { ref, raw } = sql;
  const [time, key] = [ref('answer.changedAt'), ref('answer.id')];
  return sql<boolean>`${time} ${raw(upTo)} ${changedAt}
    and (${time} ${raw(beyond)} ${changedAt} or ${key} ${raw(at)} ${id})`;
}

async function listPart(
  tx: Tx,
  tenantId: string,
  filter: ConsentAnswerFilter & { readonly status: ConsentStatus },
  behind: Pick<ConsentAnswer, 'id' | 'changedAt'> | null,
  limit: number,
): Promise<readonly ConsentAnswer[]> {
  const { consentId, memberId, status, holds, from, until } = filter;
  const { ref } = sql;
  const [order, upTo, beyond] = orderOf(filter);
  const isLast = sql<0 | 1>`(case when exists (select 1 from ${sql.table('consentChanges')} as later
    where ${ref('later.memberId')} = ${ref('answer.memberId')} and ${ref('later.consentId')} = ${ref('answer.consentId')}
      and later.id > answer.id) then 0 else 1 end)`;
  let query = tx
    .selectFrom('consentChanges as answer')
    .innerJoin('members as member', 'member.id', 'answer.memberId')
    .selectAll('answer')
    .select(['member.email', 'member.fullName', 'member.erasedAt', isLast.as('holds')])
    .where('answer.status', '=', status)
    .orderBy('answer.changedAt', order)
    .orderBy('answer.id', order)
    .limit(limit);
  // A member is of one tenant: named beside it, the tenant would lead SQLite to the answers of all.
  if (memberId !== undefined) query = query.where('answer.memberId', '=', memberId);
  else query = query.where('answer.tenantId', '=', tenantId);
  if (consentId !== undefined) query = query.where('answer.consentId', '=', consentId);
  if (holds !== undefined) query = query.where(isLast, '=', holds ? 1 : 0);
  if (from !== undefined) query = query.where('answer.changedAt', '>=', from);
  if (until !== undefined) query = query.where('answer.changedAt', '<', until);
  if (behind !== null) query = query.where(isBeyond(behind, upTo, beyond));
  if (filter.upTo !== undefined) {
    const [within, before] = isFalling(filter) ? (['>=', '>'] as const) : (['<=', '<'] as const);
    query = query.where(isBeyond(filter.upTo, within, before, within));
  }
  const rows = await query.execute();
  return rows
    .filter((row) => row.tenantId === tenantId)
    .map(({ email, fullName, erasedAt, holds: isHeld, ...answer }) => ({
      ...answer,
      email: erasedAt === null ? email : null,
      memberName: erasedAt === null ? fullName : null,
      holds: fromFlag(isHeld),
    }));
}
