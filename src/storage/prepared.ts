// Prepares the queries of the hot path once.
import {
  type Compilable,
  DummyDriver,
  type Insertable,
  Kysely,
  type QueryExecutor,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { RowOf, Table } from './rows.ts';
import type { Database } from './schema.ts';
import type { Statement, Statements } from './sqlite/statements.ts';
import type { Tx } from './store.ts';

/** Stands in a query for the value of this name. */
class Given {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Binds what is given later, and nothing else. A constant stands in the text, where the planner sees it once: one
 * that is bound, as a limit or in a partial index's condition, it looks at each time, and plans the query again.
 */
class ConstantsInText extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value instanceof Given) super.appendValue(value);
    else this.appendImmediateValue(value);
  }
}

/** Builds the queries of `prepared`: it is connected to nothing. */
export const query = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new ConstantsInText(),
  },
});

/** A query that is built once, when its file is loaded, and asked in many transactions with other values. */
export interface Prepared<Values, Row> {
  /** The first row, or null. */
  first(tx: Tx, values: Values): Row | null;
  all(tx: Tx, values: Values): readonly Row[];
  /** Runs what changes rows. @returns how many it changed */
  run(tx: Tx, values: Values): number;
}

const anyName = new Proxy({}, { get: (_, name) => new Given(String(name)) });

/**
 * Prepares a query of the hot path. Building one takes Kysely ten times as long as SQLite takes to answer it,
 * and the text never changes: so it is built here, once, and only its values are bound later.
 *
 * @param build builds the query; each value it takes of its argument is bound when the query is asked
 */
export function prepared<Values extends object, Row>(
  build: (given: Values) => Compilable<Row>,
): Prepared<Values, Row> {
  const { sql: text, parameters } = build(anyName as Values).compile();
  const names = parameters.map((parameter) => (parameter as Given).name as keyof Values);
  const bind = (values: Values): readonly unknown[] => names.map((name) => values[name]);
  const statementIn = (tx: Tx): Statement => statementsOf(tx).prepare(text);
  return {
    first: (tx, values) => (statementIn(tx).get(...bind(values)) as Row | undefined) ?? null,
    all: (tx, values) => statementIn(tx).all(...bind(values)) as Row[],
    run: (tx, values) => statementIn(tx).run(...bind(values)).changes,
  };
}

/** Prepares the query of the rows that have values in these columns. */
export function lookup<T extends Table, Column extends keyof RowOf<T> & string>(
  table: T,
  ...columns: readonly Column[]
): Prepared<Pick<RowOf<T>, Column>, RowOf<T>> {
  return prepared((values) => {
    const equal = Object.fromEntries(columns.map((column) => [column, values[column]]));
    const rows = query.selectFrom<Table>(table).selectAll();
    return rows.where(({ and }) => and(equal)) as Compilable as Compilable<RowOf<T>>;
  });
}

/**
 * Prepares the insertion of whole rows into a table.
 *
 * @returns what inserts a row
 */
export function insertion<T extends Table>(table: T): (tx: Tx, row: Insertable<Database[T]>) => void {
  type Row = Insertable<Database[T]>;
  const byColumns = new Map<string, Prepared<Row, unknown>>();
  return (tx, row) => {
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
    known.run(tx, row);
  };
}

/**
 * A value that the planner does not look at. What stands in a range, or beside an order, SQLite would look at each
 * time it is bound anew, to plan the query again: that takes several times as long as the query.
 */
export function unplanned<Value extends number | string>(given: Value, type: 'integer' | 'text') {
  return sql<Value>`cast(${given} as ${sql.raw(type)})`;
}

/** A transaction's handles share one executor, and nothing else that could be asked for its connection. */
const connections = new WeakMap<QueryExecutor, Statements>();

/** Lets prepared queries be asked in a transaction. */
export function connect(tx: Tx, statements: Statements): void {
  connections.set(tx.getExecutor(), statements);
}

/** The prepared statements of the connection that a transaction runs on. */
export function statementsOf(tx: Tx): Statements {
  const statements = connections.get(tx.getExecutor());
  if (statements === undefined) throw new Error('the transaction is of no store');
  return statements;
}

/**
 * Reads what nearly every request asks for and what hardly ever changes, such as a client: once, until any of
 * it changes. One process serves a data folder, so no other process changes it unseen; and a transaction
 * that is rolled back forgets it too, since what it read may never have been.
 *
 * @param key names what is read
 * @param read reads it; null, which is nothing, is not remembered
 */
export function remembered<Value extends object>(
  tx: Tx,
  key: string,
  read: () => Value | null,
): Value | null {
  const { memory } = statementsOf(tx);
  const known = memory.get(key);
  if (known !== undefined) return known as Value;
  const value = read();
  if (value !== null) memory.set(key, value);
  return value;
}

/** To be called by whatever changes something that is remembered. */
export function forgetRemembered(tx: Tx): void {
  statementsOf(tx).memory.clear();
}
