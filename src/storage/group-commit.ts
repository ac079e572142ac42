import type SQLite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { groupSize } from '../core/limits.ts';
import type { Database } from './schema.ts';
import type { Tx } from './store.ts';

/** Nothing was committed: the file is locked, full or read-only, or too much is waiting. Answered with 503. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

interface Piece {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Result = { readonly value: unknown } | { readonly error: unknown };

/**
 * Lets the pieces of work that wait at the same moment share one durable commit. A commit with
 * synchronous=FULL costs an fsync, whatever it holds; alone it is the dearest part of a refresh.
 *
 * Each piece runs in a savepoint of its own: one that throws is rolled back alone. Nobody is answered before
 * the commit, and if the commit fails everybody is told so and nothing has changed.
 */
export class GroupCommit {
  readonly #kysely: Kysely<Database>;
  readonly #sqlite: SQLite.Database;
  readonly #mostWaiting: number;
  #waiting: Piece[] = [];
  #running: Promise<void> | null = null;

  constructor(kysely: Kysely<Database>, sqlite: SQLite.Database, mostWaiting: number) {
    this.#kysely = kysely;
    this.#sqlite = sqlite;
    this.#mostWaiting = mostWaiting;
  }

  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#waiting.length >= this.#mostWaiting) {
      return Promise.reject(new StorageUnavailable('too many transactions are waiting'));
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async drained(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Whatever else arrives in this turn of the event loop comes into the same commit.
      await new Promise(setImmediate);
      await this.#commit(this.#waiting.splice(0, groupSize));
    }
    this.#running = null;
  }

  async #commit(pieces: readonly Piece[]): Promise<void> {
    try {
      const results = await this.#kysely.transaction().execute(async (tx) => {
        const done: Result[] = [];
        for (const piece of pieces) done.push(await this.#inSavepoint(tx, piece));
        return done;
      });
      results.forEach((result, index) => {
        if ('error' in result) pieces[index]?.reject(result.error);
        else pieces[index]?.resolve(result.value);
      });
    } catch (cause) {
      const error = new StorageUnavailable('the transaction could not be committed', { cause });
      for (const piece of pieces) piece.reject(error);
    }
  }

  async #inSavepoint(tx: Tx, { work }: Piece): Promise<Result> {
    this.#statement('savepoint piece');
    try {
      const value = await work(tx);
      this.#statement('release piece');
      return { value };
    } catch (error) {
      this.#statement('rollback to piece');
      this.#statement('release piece');
      return { error };
    }
  }

  readonly #statements = new Map<string, SQLite.Statement>();

  #statement(text: string): void {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(text);
      this.#statements.set(text, statement);
    }
    statement.run();
  }
}
