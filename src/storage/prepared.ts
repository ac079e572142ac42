// Prepares the queries of the hot path once.
import {
  type Compilable,
  DummyDriver,
  type Insertable,
  Kysely,
  type OperationNodeSource,
  type QueryExecutor,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { anyName, type Built, bindingGiven, builtOf, type QueryText } from './query-text.ts';
import type { RowOf, Table } from './rows.ts';
import type { Database } from './schema.ts';
import type { Tx } from './store.ts';

/** SQLite answers at once, PostgreSQL later. */
export type Awaitable<Value> = Value | Promise<Value>;

/** What asks prepared queries on the connection of a transaction: each engine has its own. */
export interface Connection {
  first(text: QueryText, values: readonly unknown[]): Awaitable<unknown>;
  all(text: QueryText, values: readonly unknown[]): Awaitable<readonly unknown[]>;
  /** @returns how many rows it changed */
  run(text: QueryText, values: readonly unknown[]): Awaitable<number>;
  /** Changes one row. If that fails the whole piece does, but PostgreSQL may say so as late as at the commit. */
  changeOne(text: QueryText, values: readonly unknown[]): Awaitable<void>;
  /** Whether each statement is a message to another process. */
  readonly isRemote: boolean;
  /** Whether it reads what was there a moment ago, while something newer may be on its way to the disk. */
  readonly isSnapshot: boolean;
  /** The version of what is remembered, as the transaction sees it: a process that changes something raises it. */
  readonly version: number;
  /** Until when (ms) other processes may keep an address out, as the transaction sees it; 0 where there are none. */
  readonly bannedUntil: number;
  /** See `remembered`. */
  readonly memory: Map<string, object>;
  /** Something that is remembered changes in this transaction. */
  forget(): Awaitable<void>;
  /** See `mayChange`. */
  mayChange(): void;
  /** What is asked from now on in this transaction may take long. */
  takeLong(): Awaitable<void>;
}

/** Builds the queries of `prepared`: it is connected to nothing. */
export const query = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => bindingGiven(new SqliteQueryCompiler()),
  },
});

/** A query that is built once, when it is asked first, and asked in many transactions with other values. */
export interface Prepared<Values, Row> {
  /** The first row, or null. */
  first(tx: Tx, values: Values): Promise<Row | null>;
  all(tx: Tx, values: Values): Awaitable<readonly Row[]>;
  /** Runs what changes rows. @returns how many it changed */
  run(tx: Tx, values: Values): Awaitable<number>;
  /**
   * Inserts or changes the one row that the core decided on. It read the record in this transaction, so another number
   * means that the condition and the record disagree: a bug, and the whole piece is rolled back. What comes next does
   * not wait for PostgreSQL's answer.
   */
  changeOne(tx: Tx, values: Values): Awaitable<void>;
}

/**
 * Prepares a query of the hot path. Building one takes Kysely ten times as long as SQLite takes to answer it,
 * and the text never changes: so it is built once, and only its values are bound each time. A start that built all of
 * them would spend a tenth of its time on it.
 *
 * @param build builds the query; each value it takes of its argument is bound when the query is asked
 * @param isBatched whether it only reads, and look-ups that come together ask PostgreSQL for all their values at once:
 *   its rows come in no order then, and none of its values is a limit
 */
export function prepared<Values extends object, Row>(
  build: (given: Values) => Compilable<Row> & OperationNodeSource,
  { isBatched = false }: { readonly isBatched?: boolean } = {},
): Prepared<Values, Row> {
  let known: Built | undefined;
  const built = () => (known ??= builtOf(build(anyName as Values), isBatched));
  const bound = (values: Values): readonly unknown[] =>
    built().names.map((name) => values[name as keyof Values]);
  return {
    first: async (tx, values) =>
      ((await connectionOf(tx).first(built().text, bound(values))) as Row | undefined) ?? null,
    all: (tx, values) => connectionOf(tx).all(built().text, bound(values)) as Awaitable<readonly Row[]>,
    run: (tx, values) => connectionOf(tx).run(built().text, bound(values)),
    changeOne: (tx, values) => connectionOf(tx).changeOne(built().changes, bound(values)),
  };
}

/** Prepares the query of the rows that have values in these columns. */
export function lookup<T extends Table, Column extends keyof RowOf<T> & string>(
  table: T,
  ...columns: readonly Column[]
): Prepared<Pick<RowOf<T>, Column>, RowOf<T>> {
  const build = (values: Pick<RowOf<T>, Column>) => {
    const equal = Object.fromEntries(columns.map((column) => [column, values[column]]));
    const rows = query.selectFrom<Table>(table).selectAll();
    return rows.where(({ and }) => and(equal)) as unknown as Compilable<RowOf<T>> & OperationNodeSource;
  };
  return prepared(build, { isBatched: true });
}

/**
 * Prepares the insertion of whole rows into a table.
 *
 * @returns what inserts a row
 */
export function insertion<T extends Table>(
  table: T,
): (tx: Tx, row: Insertable<Database[T]>) => Promise<void> {
  type Row = Insertable<Database[T]>;
  const byColumns = new Map<string, Prepared<Row, unknown>>();
  return async (tx, row) => {
    const columns = Object.keys(row);
    const key = columns.join();
    let known = byColumns.get(key);
    if (known === undefined) {
      known = prepared((given: Row) =>
        query
          .insertInto(table)
          .values(Object.fromEntries(columns.map((column) => [column, given[column as keyof Row]])) as never),
      );
      byColumns.set(key, known);
    }
    await known.changeOne(tx, row);
  };
}

/**
 * A value that the planner does not look at. What stands in a range, or beside an order, SQLite would look at each
 * time it is bound anew, to plan the query again: that takes several times as long as the query.
 */
export function unplanned<Value extends number | string>(given: Value, type: 'bigint' | 'text') {
  return sql<Value>`cast(${given} as ${sql.raw(type)})`;
}

/** A transaction's handles share one executor, and nothing else that could be asked for its connection. */
const connections = new WeakMap<QueryExecutor, Connection>();

/** Lets prepared queries be asked in a transaction. */
export function connect(tx: Tx, connection: Connection): void {
  connections.set(tx.getExecutor(), connection);
}

/** The connection that a transaction runs on. */
export function connectionOf(tx: Tx): Connection {
  const connection = connections.get(tx.getExecutor());
  if (connection === undefined) throw new Error('the transaction is of no store');
  return connection;
}

/**
 * Reads what nearly every request asks for and what hardly ever changes, such as a client: once, until any of
 * it changes. One process serves a data folder, so no other process changes it unseen, and PostgreSQL tells each
 * transaction whether one did; and a transaction that changed it and is rolled back forgets it too, since what it read
 * may never have been.
 *
 * @param key names what is read
 * @param read reads it; null, which is nothing, is not remembered
 * @param isKept whether it is remembered: not what comes to be without a word to those who remember
 */
export async function remembered<Value extends object>(
  tx: Tx,
  key: string,
  read: () => Promise<Value | null>,
  isKept: (value: Value) => boolean = () => true,
): Promise<Value | null> {
  const { memory } = connectionOf(tx);
  const known = memory.get(key);
  if (known !== undefined) return known as Value;
  const value = await read();
  if (value !== null && isKept(value)) memory.set(key, value);
  return value;
}

/** To be called with every change of something that is remembered. */
export async function forgetRemembered(tx: Tx): Promise<void> {
  await connectionOf(tx).forget();
}

/** Says that work is going to change something: a look-up runs again as a transaction then, before it reads any more. */
export function mayChange(tx: Tx): void {
  connectionOf(tx).mayChange();
}

/**
 * To be called before a statement that touches as many rows as there happen to be: PostgreSQL may take longer for it than
 * a request waits.
 */
export async function mayTakeLong(tx: Tx): Promise<void> {
  await connectionOf(tx).takeLong();
}
