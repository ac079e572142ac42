import type SQLite from 'better-sqlite3';

export type Statement = SQLite.Statement;

/** The prepared statements of a connection, each prepared when it is needed first. */
export interface Statements {
  prepare(text: string): Statement;
  /** See `remembered`. */
  readonly memory: Map<string, object>;
}

export function createStatements(sqlite: SQLite.Database): Statements {
  const statements = new Map<string, Statement>();
  return {
    memory: new Map(),
    prepare(text) {
      let statement = statements.get(text);
      if (statement === undefined) {
        statement = sqlite.prepare(text);
        statements.set(text, statement);
      }
      return statement;
    },
  };
}
