import { setTimeout as wait } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { busyRetry, busyTimeout, groupSize } from '../core/limits.ts';
import { connect } from './queries/prepared.ts';
import type { Statements } from './queries/statements.ts';
import type { Database } from './schema.ts';
import type { Tx } from './store.ts';

/** Nothing was committed: the file is locked, full or read-only, or too much is waiting. Answered with 503. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** How the next transaction begins: able to write, or as a reader while nobody can. */
export interface Beginning {
  mode: 'immediate' | 'deferred';
}

interface Piece {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Is told of each group that was committed or failed to be.
 *
 * @param ms from the beginning of the transaction to its commit, waiting for the file included
 * @param pieces how many pieces of work shared it
 */
export type CommitObserver = (ms: number, pieces: number) => void;

type Result = { readonly value: unknown } | { readonly error: unknown };

/**
 * Lets the pieces of work that wait at the same moment share one durable commit. A commit with
 * synchronous=FULL costs an fsync, whatever it holds; alone it is the dearest part of a refresh.
 *
 * Each piece that writes does so in a savepoint of its own: one that throws is rolled back alone. Nobody is
 * answered before the commit. If the commit fails, nothing has changed: whoever wrote is told so, and whoever did
 * not is answered from what was there before. Work may run a second time then, so it changes nothing but through
 * its `tx` that must not happen twice.
 */
export class GroupCommit {
  readonly #kysely: Kysely<Database>;
  readonly #statements: Statements;
  readonly #beginning: Beginning;
  readonly #mostWaiting: number;
  readonly #observe: CommitObserver;
  #waiting: Piece[] = [];
  #running: Promise<void> | null = null;

  constructor(
    kysely: Kysely<Database>,
    statements: Statements,
    beginning: Beginning,
    mostWaiting: number,
    observe: CommitObserver = () => {},
  ) {
    this.#kysely = kysely;
    this.#statements = statements;
    this.#beginning = beginning;
    this.#mostWaiting = mostWaiting;
    this.#observe = observe;
  }

  /** How many pieces wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
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
      const pieces = this.#waiting.splice(0, groupSize);
      const begun = performance.now();
      await this.#commit(pieces);
      this.#observe(performance.now() - begun, pieces.length);
    }
    this.#running = null;
  }

  async #commit(pieces: readonly Piece[]): Promise<void> {
    const until = performance.now() + busyTimeout;
    let failure = await this.#attempt(pieces, 'immediate');
    // Somebody else holds the file. Waiting is done here, not in SQLite, which would hold up the event loop.
    while (failure?.begun === false && isBusy(failure.cause) && performance.now() < until) {
      await wait(busyRetry);
      failure = await this.#attempt(pieces, 'immediate');
    }
    // Nobody can write now; whoever only reads goes on (security, promise 5).
    if (failure?.begun === false) failure = await this.#attempt(pieces, 'deferred');
    if (failure === null) return;
    const { begun, cause } = failure;
    const error = new StorageUnavailable('the transaction could not be committed', { cause });
    // The disk is full, say, which SQLite finds at the commit, and takes back all. Who only read has seen what
    // the others wrote, so it reads again.
    if (begun) await this.#readAgain(pieces, error);
    else for (const piece of pieces) piece.reject(error);
  }

  /**
   * Runs each piece where nothing can be written: those that write are refused. Each runs in a transaction of its
   * own, so that one that meets a page which cannot be read takes no other with it.
   */
  async #readAgain(pieces: readonly Piece[], error: StorageUnavailable): Promise<void> {
    this.#statement('pragma query_only = on');
    try {
      for (const piece of pieces) {
        if ((await this.#attempt([piece], 'deferred', error)) !== null) piece.reject(error);
      }
    } finally {
      this.#statement('pragma query_only = off');
    }
  }

  /**
   * Runs the pieces in one transaction and answers them.
   *
   * @param outage what a piece that cannot write is told, where that is known already
   * @returns null unless the transaction could not begin or commit
   */
  async #attempt(
    pieces: readonly Piece[],
    mode: Beginning['mode'],
    outage?: StorageUnavailable,
  ): Promise<{ begun: boolean; cause: unknown } | null> {
    let begun = false;
    let lost: unknown;
    this.#beginning.mode = mode;
    try {
      const results = await this.#kysely.transaction().execute(async (tx) => {
        begun = true;
        connect(tx, this.#statements);
        const done: Result[] = [];
        for (const piece of pieces) {
          const result = await this.#inSavepoint(tx, piece);
          done.push(result);
          if (this.#statements.isInTransaction()) continue;
          // The next piece would be in no transaction, and committed by itself.
          lost = takenBack(result);
          throw lost;
        }
        return done;
      });
      results.forEach((result, index) => {
        if ('error' in result) pieces[index]?.reject(asUnavailable(result.error, outage));
        else pieces[index]?.resolve(result.value);
      });
      return null;
    } catch (cause) {
      this.#statements.memory.clear();
      // Of a transaction that is gone Kysely tells that it cannot be rolled back.
      return { begun, cause: lost ?? cause };
    }
  }

  /** Most pieces only read, and those have nothing to take back: the savepoint begins with the first write. */
  async #inSavepoint(tx: Tx, { work }: Piece): Promise<Result> {
    const statements = this.#statements;
    let hasWritten = false;
    statements.beforeWriting = () => {
      statements.beforeWriting = null;
      this.#statement('savepoint piece');
      hasWritten = true;
    };
    try {
      const value = await work(tx);
      if (hasWritten) this.#statement('release piece');
      return { value };
    } catch (error) {
      statements.memory.clear();
      if (hasWritten && statements.isInTransaction()) {
        this.#statement('rollback to piece');
        this.#statement('release piece');
      }
      return { error };
    } finally {
      statements.beforeWriting = null;
    }
  }

  #statement(text: string): void {
    this.#statements.prepare(text).run();
  }
}

/** What made SQLite take back the whole transaction. */
function takenBack(result: Result): unknown {
  return 'error' in result ? result.error : new Error('SQLite took the transaction back');
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** What SQLite says of its file, and not of the statement, is an outage: the same again may work later. */
function asUnavailable(error: unknown, known?: StorageUnavailable): unknown {
  const isOutage =
    error instanceof SQLite.SqliteError &&
    /^SQLITE_(?:BUSY|LOCKED|READONLY|FULL|IOERR|CANTOPEN|NOMEM)/.test(error.code);
  if (!isOutage) return error;
  return known ?? new StorageUnavailable('the file cannot be written', { cause: error });
}
