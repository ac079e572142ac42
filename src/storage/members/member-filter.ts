// Lists the members that meet conditions, looking at so many of them at once and no more.
import { type ExpressionBuilder, type ExpressionWrapper, PostgresAdapter, type SqlBool, sql } from 'kysely';
import type { ConsentStatus } from '../../core/access/consent.ts';
import type { CustomProperty } from '../../core/access/custom-property.ts';
import type { Member } from '../../core/members/member.ts';
import { isDescending, rowsWith } from '../rows.ts';
import type { Database } from '../schema.ts';
import type { Tx } from '../store.ts';
import { memberOfRow } from './member-row.ts';
import { isFound, type MemberSearch } from './member-search.ts';

/** How a value is compared, as kysely writes it. */
const comparisons = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  in: 'in',
} as const;
export type Comparison = keyof typeof comparisons;

type Value = string | number | readonly (string | number)[];

/** The columns of a member that conditions are of. */
export type MemberColumn =
  | 'id'
  | 'normalisedEmail'
  | 'emailVerified'
  | 'fullName'
  | 'externalId'
  | 'memberNumber'
  | 'userType'
  | 'status'
  | 'createdAt'
  | 'updatedAt';

export interface Condition<Column extends string> {
  readonly column: Column;
  readonly comparison: Comparison;
  readonly value: Value;
}

/** What the members of a list meet, all of it. */
export interface MemberFilter {
  readonly own: readonly Condition<MemberColumn>[];
  /** Beginnings of words of the name, and of the address. */
  readonly nameBegins?: readonly string[];
  readonly emailBegins?: string;
  /** One subscription of the member meets all of these. */
  readonly subscription: readonly Condition<'packageId' | 'state'>[];
  readonly properties: readonly (Pick<Condition<string>, 'comparison' | 'value'> & CustomProperty)[];
  /** What holds of consents; a member who never answered has not agreed. */
  readonly consents: readonly { readonly consentId: string; readonly status: ConsentStatus }[];
}

/** How such a list is sorted. A list by when members changed is for those who follow them. */
export type FilteredSort = NonNullable<MemberSearch['sort']> | 'updatedAt' | '-updatedAt';

/** The filter of a search, and where the page begins: behind a place, as `placeOf` writes it. */
export interface FilteredSearch extends Omit<MemberSearch, 'sort' | 'before'> {
  readonly before?: string;
  readonly sort?: FilteredSort;
  readonly filter: MemberFilter;
}

/** What names few members by itself: an index has each. */
const naming: readonly MemberColumn[] = ['id', 'normalisedEmail', 'externalId', 'memberNumber'];

type Key = 'id' | 'normalisedEmail' | 'updatedAt';
const keyOf = (sort: FilteredSort): Key => {
  const name = sort.replace(/^-/, '');
  if (name === 'email') return 'normalisedEmail';
  return name === 'updatedAt' ? 'updatedAt' : 'id';
};

/** A place in a list that stays where it is while members change. */
interface Place {
  readonly id: string;
  readonly key: string | number;
}

/** Where a member stands in such a list. */
export function placeOf({ id, updatedAt }: Pick<Member, 'id' | 'updatedAt'>, sort: FilteredSort): string {
  return keyOf(sort) === 'updatedAt' ? `${updatedAt}.${id}` : id;
}

/**
 * Lists the members of a tenant that meet conditions. Where they name no few members, so many are looked at in the
 * order of the list, and no more: the next page goes on behind them.
 *
 * @param look how many
 * @returns the members, and the place of the last one that was looked at where there may be more behind it
 */
export async function lookAtMembers(
  tx: Tx,
  tenantId: string,
  { filter, sort = '-createdAt', before, search = '', memberId, status, userType }: FilteredSearch,
  { limit, look, now }: { readonly limit: number; readonly look: number; readonly now: number },
): Promise<{ readonly found: readonly Member[]; readonly lookedAt: { readonly id: string } | null }> {
  const key = keyOf(sort);
  const order = isDescending(sort) ? 'desc' : 'asc';
  const isNamed = ({ column, comparison }: Condition<MemberColumn>) =>
    naming.includes(column) && (comparison === 'eq' || comparison === 'in');
  const isBounded = memberId !== undefined || filter.own.some(isNamed);
  const after = before === undefined ? null : await placeNamed(tx, tenantId, before, key);
  let all = tx.selectFrom('members').where('tenantId', '=', tenantId);
  // What bounds the walk itself; the rest is asked of those that are met on it.
  const onTheWay = filter.own.filter((one) => isNamed(one) || (key === 'updatedAt' && one.column === key));
  for (const { column, comparison, value } of onTheWay) {
    all = all.where(column, comparisons[comparison], value as never);
  }
  if (memberId !== undefined) all = all.where('id', '=', memberId);
  if (after !== null) all = all.where((eb) => isBehind(eb, key, after, order));
  const columns = ['id', 'tenantId', 'erasedAt', 'deletionDueAt', ...asked] as const;
  const inOrder = all.orderBy(key, order).$if(key !== 'id', (query) => query.orderBy('id', order));
  // Few are put in their order when they are found: an order here would have all members walked through for them.
  const window = (isBounded ? all : inOrder).select(columns).limit(look);
  let met = tx
    .selectFrom(window.as('members'))
    .select('members.id')
    .where('erasedAt', 'is', null)
    .where((eb) => eb.or([eb('deletionDueAt', 'is', null), eb('deletionDueAt', '>', now)]));
  if (status !== undefined) met = met.where('status', '=', status);
  if (userType === 'any_admin') met = met.where('userType', '<>', 'member');
  else if (userType !== undefined) met = met.where('userType', '=', userType);
  const isPostgres = tx.getExecutor().adapter instanceof PostgresAdapter;
  met = met.where((eb) => {
    const of = eb as unknown as Asking;
    return of.and([
      ...(search.trim() === '' ? [] : [isFound(of, search.trim())]),
      ...asks(of, filter, isPostgres),
    ]);
  });
  const ids = await met
    .orderBy(key, order)
    .$if(key !== 'id', (query) => query.orderBy('id', order))
    .limit(limit)
    .execute();
  const found = await membersOf(
    tx,
    tenantId,
    ids.map(({ id }) => id),
  );
  if (isBounded || found.length >= limit) return { found, lookedAt: null };
  const end = await inOrder
    .select(['id', 'updatedAt'])
    .limit(1)
    .offset(look - 1)
    .executeTakeFirst();
  return { found, lookedAt: end === undefined ? null : { id: placeOf(end, sort) } };
}

const asked = [
  'normalisedEmail',
  'emailVerified',
  'fullName',
  'externalId',
  'memberNumber',
  'userId',
  'userType',
  'status',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (MemberColumn | 'userId')[];

type Asking = ExpressionBuilder<Database, 'members'>;
type Asked = ExpressionWrapper<Database, 'members', SqlBool>;

/** A place by its name, or by the id of a member of the tenant: then it is where that one stands now. */
async function placeNamed(tx: Tx, tenantId: string, name: string, key: Key): Promise<Place | null> {
  const [, at, id = name] = /^(\d{1,15})\.(.+)$/.exec(name) ?? [];
  if (at !== undefined && key === 'updatedAt') return { id, key: Number(at) };
  if (key === 'id') return { id, key: id };
  // A member who was erased has another address in the list, and is not where they were.
  const there = rowsWith(tx, 'members', { tenantId, id, erasedAt: null });
  const row = await there.clearSelect().select(key).executeTakeFirst();
  return row === undefined ? null : { id, key: row[key] };
}

/** Whether a page can begin behind what is named: by id alone, it can behind anything. */
export async function isPlace(
  tx: Tx,
  tenantId: string,
  name: string,
  sort: FilteredSort = '-createdAt',
): Promise<boolean> {
  return (await placeNamed(tx, tenantId, name, keyOf(sort))) !== null;
}

/** Two columns in one order: the first one alone bounds what an index is read for. */
function isBehind(eb: Asking, key: Key, { id, key: at }: Place, order: 'asc' | 'desc'): Asked {
  const [beyond, upTo] = order === 'asc' ? (['>', '>='] as const) : (['<', '<='] as const);
  if (key === 'id') return eb('id', beyond, id) as Asked;
  return eb.and([
    eb(key, upTo, at as never),
    eb.or([eb(key, beyond, at as never), eb('id', beyond, id)]),
  ]) as Asked;
}

/** The members of these ids, in the order of the ids. */
async function membersOf(tx: Tx, tenantId: string, ids: readonly string[]): Promise<readonly Member[]> {
  if (ids.length === 0) return [];
  const rows = await rowsWith(tx, 'members', { tenantId }).where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [memberOfRow(row)];
  });
}

function asks(eb: Asking, filter: MemberFilter, isPostgres: boolean): readonly Asked[] {
  const { own, nameBegins = [], emailBegins, subscription, properties, consents } = filter;
  return [
    ...own.map(
      ({ column, comparison, value }) => eb(column, comparisons[comparison], value as never) as Asked,
    ),
    ...nameBegins.map((word) => hasWord(eb, word)),
    ...(emailBegins === undefined
      ? []
      : [
          eb('normalisedEmail', '>=', emailBegins) as Asked,
          eb('normalisedEmail', '<', `${emailBegins}\u{10ffff}`) as Asked,
        ]),
    ...(subscription.length + properties.length === 0
      ? []
      : [hasSubscription(eb, { subscription, properties }, isPostgres)]),
    ...consents.map(({ consentId, status }) => {
      const agreed = hasAgreed(eb, consentId);
      return status === 'accepted' ? agreed : (eb.not(agreed) as Asked);
    }),
  ];
}

function hasWord(eb: Asking, beginning: string): Asked {
  const words = eb
    .selectFrom('memberWords')
    .select('word')
    .whereRef('memberWords.memberId', '=', 'members.id');
  return eb.exists(
    words.where('word', '>=', beginning).where('word', '<', `${beginning}\u{10ffff}`),
  ) as Asked;
}

function hasSubscription(
  eb: Asking,
  { subscription, properties }: Pick<MemberFilter, 'subscription' | 'properties'>,
  isPostgres: boolean,
): Asked {
  let held = eb
    .selectFrom('subscriptions')
    .select('subscriptions.id')
    .whereRef('subscriptions.memberId', '=', 'members.id');
  for (const { column, comparison, value } of subscription) {
    held = held.where(`subscriptions.${column}`, comparisons[comparison], value as never);
  }
  for (const { key, type, comparison, value } of properties) {
    held = held.where(propertyOf(key, type, isPostgres), comparisons[comparison], value as never);
  }
  return eb.exists(held) as Asked;
}

/** The value of a property, which each engine takes out of JSON in its own way. A key has letters, digits, _ and - alone. */
function propertyOf(key: string, type: CustomProperty['type'], isPostgres: boolean) {
  const values = sql.ref('subscriptions.customPropertyValues');
  if (!isPostgres) return sql<string | number>`json_extract(${values}, ${`$."${key}"`})`;
  const text = sql`(cast(${values} as jsonb) ->> ${key})`;
  return type === 'number'
    ? sql<string | number>`cast(${text} as double precision)`
    : sql<string | number>`${text} collate "C"`;
}

/** Whether the last answer of a member to a consent is yes. */
function hasAgreed(eb: Asking, consentId: string): Asked {
  const last = eb
    .selectFrom('consentChanges as given')
    .select(({ fn }) => fn.max('given.id').as('last'))
    .whereRef('given.memberId', '=', 'members.id')
    .where('given.consentId', '=', consentId);
  const agreed = eb
    .selectFrom('consentChanges')
    .select('consentChanges.id')
    .where('consentChanges.id', '=', last)
    .where('consentChanges.status', '=', 'accepted');
  return eb.exists(agreed) as Asked;
}
