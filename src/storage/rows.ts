// Reads and writes the rows of a table by the values of their columns.
import { type Selectable, type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { Database } from './schema.ts';
import type { Tx } from './store.ts';

export type Table = keyof Database;
export type RowOf<T extends Table> = Selectable<Database[T]>;
/** The fields of a row that are the condition; null where a field must have no value. */
type Values<T extends Table> = Readonly<Partial<RowOf<T>>>;
/**
 * The values of a condition. Kysely leaves out one that is undefined, and would find the rows of all tenants.
 *
 * @throws Error if one is undefined
 */
export function whole<V extends object>(values: V): V {
  for (const [column, value] of Object.entries(values)) {
    if (value === undefined) throw new Error(`a condition has no value: ${column}`);
  }
  return values;
}

/** A query of whole rows. */
export type RowsOf<T extends Table> = SelectQueryBuilder<Database, T, RowOf<T>>;

/** The rows of a table that have these values: a query to be narrowed, ordered and executed. */
export function rowsWith<T extends Table>(tx: Tx, table: T, values: Values<T>): RowsOf<T> {
  const rows = tx.selectFrom<Table>(table).selectAll();
  return rows.where(({ and }) => and(whole(values))) as unknown as RowsOf<T>;
}

/** Whether a column has a text in it, however the letters are written. */
export const hasText = (column: string, text: string) => isLike(column, `%${literally(text)}%`);

/** Whether a column begins with a text, however the letters are written. */
export const beginsWithText = (column: string, text: string) => isLike(column, `${literally(text)}%`);

const isLike = (column: string, pattern: string) =>
  sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;

const literally = (text: string) => text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&');

/** The row that has these values, or null. */
export async function findRow<T extends Table>(
  tx: Tx,
  table: T,
  values: Values<T>,
): Promise<RowOf<T> | null> {
  return ((await rowsWith(tx, table, values).executeTakeFirst()) as RowOf<T> | undefined) ?? null;
}

/** The highest value of a column among the rows that have these values; null where there are none. */
export async function highest<T extends Table>(
  tx: Tx,
  table: T,
  column: keyof RowOf<T> & string,
  values: Values<T>,
): Promise<number | null> {
  const rows = tx.selectFrom<Table>(table).where(({ and }) => and(whole(values)));
  const { max } = await rows.select(({ fn }) => fn.max(column as never).as('max')).executeTakeFirstOrThrow();
  return max as number | null;
}

/** Changes the rows that have these values. @returns how many */
export async function updateRows<T extends Table>(
  tx: Tx,
  table: T,
  values: Values<T>,
  changes: Updateable<Database[T]>,
): Promise<number> {
  const rows = tx.updateTable<Table>(table).where(({ and }) => and(whole(values)));
  return Number((await rows.set(changes as object).executeTakeFirst()).numUpdatedRows);
}

/**
 * Changes the one row that has these values.
 *
 * @throws Error if another number has them: the core decided on a record read in this transaction, so the condition and
 *   the record disagree: a bug, and the whole piece is rolled back
 */
export async function updateRow<T extends Table>(
  tx: Tx,
  table: T,
  values: Values<T>,
  changes: Updateable<Database[T]>,
): Promise<void> {
  const changed = await updateRows(tx, table, values, changes);
  if (changed !== 1) throw new Error(`${table}: ${changed} rows changed where one was expected`);
}

/** Deletes the rows that have these values. @returns how many */
export async function deleteRows<T extends Table>(tx: Tx, table: T, values: Values<T>): Promise<number> {
  const rows = tx.deleteFrom<Table>(table).where(({ and }) => and(whole(values)));
  return Number((await rows.executeTakeFirst()).numDeletedRows);
}

/**
 * Deletes some of the rows that a query finds, so that no request waits for it.
 *
 * @param key the columns by which the rows are told apart
 * @param atMost how many
 * @returns how many were deleted
 */
export async function deleteSome<T extends Table>(
  tx: Tx,
  table: T,
  key: readonly (keyof RowOf<T> & string)[],
  narrow: (rows: RowsOf<T>) => RowsOf<T>,
  atMost: number,
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const all = tx.selectFrom<Table>(table).select(key as never) as unknown as RowsOf<T>;
  const rows = tx.deleteFrom<Table>(table).where(sql<boolean>`(${columns}) in ${narrow(all).limit(atMost)}`);
  return Number((await rows.executeTakeFirst()).numDeletedRows);
}

/** Which entries of a list that is in the order of a key: all of them where nothing is said. */
export interface ListPage<Key extends string | number> {
  /** The entry of this key alone. */
  readonly only?: Key | undefined;
  /** Those behind this one, in the order of the list. */
  readonly after?: Key | undefined;
  /** Whether the last one comes first. */
  readonly isDescending?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** The same of a list whose newest entry comes first: those that are older than this one. */
export interface NewestPage<Key extends string | number> {
  readonly before?: Key | undefined;
  readonly limit?: number | undefined;
}

/** As much of Kysely's queries as these need, whatever their rows. */
interface Listed {
  where(column: string, operator: '=' | '>' | '<', value: string | number): Listed;
  orderBy(column: string, direction: 'asc' | 'desc'): Listed;
  limit(count: number): Listed;
}

/** Puts a query in the order of a column, and narrows it to a page. */
export function within<Query, Key extends string | number>(
  query: Query,
  column: string,
  { only, after, before, isDescending = false, limit }: ListPage<Key> & NewestPage<Key>,
  direction: 'asc' | 'desc' = isDescending ? 'desc' : 'asc',
): Query {
  let narrowed = (query as Listed).orderBy(column, direction);
  if (only !== undefined) narrowed = narrowed.where(column, '=', only);
  if (after !== undefined) narrowed = narrowed.where(column, isDescending ? '<' : '>', after);
  if (before !== undefined) narrowed = narrowed.where(column, '<', before);
  if (limit !== undefined) narrowed = narrowed.limit(limit);
  return narrowed as Query;
}

/** How a list is sorted: by a property of its entries, and with a dash the last of them first. */
export const isDescending = (sort: string) => sort.startsWith('-');

/** A query with its newest rows first, by a column that counts up, narrowed to a page. */
export function newest<Query, Key extends string | number>(
  query: Query,
  column: string,
  page: NewestPage<Key> = {},
): Query {
  return within(query, column, page, 'desc');
}

/** The given fields of a filter: the others do not narrow the query. */
export function given<Filter extends object>(
  filter: Filter,
): { [Name in keyof Filter]: Exclude<Filter[Name], undefined> } {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as never;
}

/** The next id of a table whose rows are told apart by small numbers, for the values of an insertion. */
export function nextId(table: 'products' | 'packages') {
  return sql<number>`(select coalesce(max(id), 0) + 1 from ${sql.table(table)})`;
}

export const fromFlag = (flag: number): boolean => flag === 1;
export const toFlag = (value: boolean): number => (value ? 1 : 0);

/** A list of texts from its JSON column. */
export const fromList = (json: string) => JSON.parse(json) as readonly string[];
