// The handle by which Kysely asks on one connection.
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  Transaction,
} from 'kysely';
import type pg from 'pg';
import type { Database } from '../../schema.ts';
import type { Tx } from '../../store.ts';
import type { Statement } from '../client.ts';

const adapter = new PostgresAdapter();
const compiler = new PostgresQueryCompiler();

/** It connects to nothing: a handle is given its connection. */
const dialect: Dialect = {
  createAdapter: () => adapter,
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => compiler,
};
const unconnected = { config: { dialect }, dialect, driver: dialect.createDriver() };

/** Asks a statement. @param onlyReads whether it is known that it changes nothing */
type Ask = (statement: Statement, onlyReads: boolean) => Promise<pg.QueryResult>;

export function handleOn(ask: Ask): Tx {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql: text, parameters: values, query }: CompiledQuery) {
      const onlyReads = query.kind === 'SelectQueryNode' && query.with === undefined;
      const { command, rowCount, rows } = await ask({ text, values }, onlyReads);
      const changed = changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {};
      return { ...changed, rows: rows as Row[] };
    },
    streamQuery() {
      throw new Error('no query is answered in parts');
    },
  };
  const executor = new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: (use) => use(connection),
  });
  return new Transaction<Database>({ ...unconnected, executor });
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);
