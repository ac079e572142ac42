import type SQLite from 'better-sqlite3';

export type Statement = SQLite.Statement;

/** The prepared statements of a connection, each prepared when it is needed first. */
export interface Statements {
  prepare(text: string): Statement;
  /** How many there are: after a while no more come. */
  count(): number;
  /**
   * Rows that nearly every request reads and that hardly ever change, by their keys. Whoever changes one
   * forgets them all, and so does a transaction that is rolled back: what it read may never have been.
   */
  readonly remembered: Map<string, unknown>;
}

export function createStatements(sqlite: SQLite.Database): Statements {
  const statements = new Map<string, Statement>();
  return {
    remembered: new Map(),
    prepare(text) {
      let statement = statements.get(text);
      if (statement === undefined) {
        statement = sqlite.prepare(text);
        statements.set(text, statement);
      }
      return statement;
    },
    count: () => statements.size,
  };
}
