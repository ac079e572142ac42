/** A second connection that reads what is on the disk already, while the first waits for it (security, F13). */
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { connect } from '../prepared.ts';
import type { Database } from '../schema.ts';
import type { Tx } from '../store.ts';
import { createStatements, type Statement } from './statements.ts';

/** What came of a piece of work that was tried on the snapshot. */
export type Tried = { readonly value: unknown } | { readonly error: unknown } | 'writes';

/** The database as it was at one moment, which is moved on as commits reach the disk. */
export class Snapshot {
  readonly #sqlite: SQLite.Database;
  /** Begins the read; prepared when it is first needed. */
  #look: SQLite.Statement | null = null;
  readonly #kysely: Kysely<Database>;
  readonly #statements: ReturnType<typeof createStatements>;
  #isHeld = false;

  /**
   * @param isThere whether the file of that name is the database still. It is asked before anything is read: closing
   *   a connection that has read would write the log into whatever file this is.
   * @throws if it is not, or cannot be opened
   */
  constructor(path: string, isThere: () => boolean) {
    this.#sqlite = new SQLite(path, { fileMustExist: true, timeout: 0 });
    if (!isThere()) throw new Error('the database is another file');
    this.#sqlite.pragma('query_only = on');
    this.#sqlite.pragma('wal_autocheckpoint = 0');
    const statements = createStatements(this.#sqlite, true);
    this.#statements = statements;
    // Its transaction is that of the snapshot, and goes on when a piece of work has ended.
    const boundary = new Set(['begin', 'commit', 'rollback']);
    const database = {
      prepare: (text: string) => (boundary.has(text) ? nothing : statements.prepare(text)),
      close: () => {},
    };
    this.#kysely = new Kysely<Database>({ dialect: new SqliteDialect({ database }) });
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Stands at what is committed now, until it is moved again. To be called while all of that is on the disk. Where it
   * cannot be read, it is not held, and readers wait.
   */
  hold(): void {
    this.letGo();
    try {
      this.#sqlite.exec('begin');
      this.#look ??= this.#sqlite.prepare('select 1 from sqlite_schema');
      this.#look.get();
      this.#isHeld = true;
    } catch {
      if (this.#sqlite.inTransaction) this.#sqlite.exec('rollback');
    }
  }

  /** Reads nothing any more, so that the log can be begun again. */
  letGo(): void {
    this.#isHeld = false;
    this.#statements.memory.clear();
    if (this.#sqlite.inTransaction) this.#sqlite.exec('rollback');
  }

  /** Runs a piece of work, which is broken off where it writes. */
  async try(work: (tx: Tx) => Promise<unknown>): Promise<Tried> {
    let writes = false;
    try {
      const value = await this.#kysely.transaction().execute(async (tx) => {
        connect(tx, this.#statements);
        this.#statements.beforeWriting = () => {
          writes = true;
          throw new Error('the snapshot cannot be written');
        };
        return work(tx);
      });
      return writes ? 'writes' : { value };
    } catch (error) {
      return writes ? 'writes' : { error };
    } finally {
      this.#statements.beforeWriting = null;
    }
  }

  close(): void {
    this.letGo();
    this.#sqlite.close();
  }
}

const nothing: Statement = {
  reader: false,
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  get: () => undefined,
  all: () => [],
  iterate: () => [][Symbol.iterator](),
};
