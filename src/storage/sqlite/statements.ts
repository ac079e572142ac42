// Keeps the prepared statements of a connection.
import SQLite from 'better-sqlite3';
import type { Connection } from '../prepared.ts';
import { otherNumber } from '../query-text.ts';

/** The parts of a statement of better-sqlite3 that we and Kysely use. */
export type Statement = Pick<SQLite.Statement, 'reader' | 'run' | 'get' | 'all' | 'iterate'>;

/** The prepared statements of a connection, each prepared when it is needed first. */
export interface Statements extends Connection {
  prepare(text: string): Statement;
  /** Is called before each statement that may change rows; the caller that sets it takes it away again. */
  beforeWriting: (() => void) | null;
  /** Whether a transaction is open: some errors of the disk make SQLite take back all of it. */
  isInTransaction(): boolean;
}

export function createStatements(sqlite: SQLite.Database, isSnapshot = false): Statements {
  const known = new Map<string, Statement>();
  const statements: Statements = {
    isRemote: false,
    isSnapshot,
    // No other process has the file open.
    version: 0,
    bannedUntil: 0,
    memory: new Map(),
    beforeWriting: null,
    isInTransaction: () => sqlite.inTransaction,
    first({ sqlite: text }, values) {
      return this.prepare(text).get(...values);
    },
    all({ sqlite: text }, values) {
      return this.prepare(text).all(...values);
    },
    run({ sqlite: text }, values) {
      return this.prepare(text).run(...values).changes;
    },
    changeOne(text, values) {
      if (this.run(text, values) !== 1) throw otherNumber(text.sqlite);
    },
    forget() {
      this.memory.clear();
    },
    mayChange: () => {},
    // Whatever it takes, every other transaction waits for it.
    takeLong() {},
    prepare(text) {
      let statement = known.get(text);
      if (statement === undefined) {
        const prepared = sqlite.prepare(text);
        statement = prepared.readonly ? prepared : announced(prepared, () => statements.beforeWriting?.());
        known.set(text, statement);
      }
      return statement;
    },
  };
  return statements;
}

/** A statement that says so before it writes. */
function announced(statement: SQLite.Statement, announce: () => void): Statement {
  const announcing =
    <Result>(act: (...values: unknown[]) => Result) =>
    (...values: unknown[]): Result => {
      announce();
      return act.apply(statement, values);
    };
  const { reader, run, get, all, iterate } = statement;
  return {
    reader,
    run: announcing(run),
    get: announcing(get),
    all: announcing(all),
    iterate: announcing(iterate),
  };
}

/** Whether another process holds the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
