// The pieces of work that are not answered yet, and how each runs among those that share a transaction with it.
import SQLite from 'better-sqlite3';
import { StorageUnavailable, type Tx } from '../../store.ts';
import type { Statements } from '../statements.ts';

/** Work that waits for its turn, with the functions that take its result or its failure. */
export interface Piece {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  isAnswered: boolean;
  /** Whether it was found to write, where it was tried on the snapshot. */
  writes: boolean;
}

export type Result = { readonly value: unknown } | { readonly error: unknown };

/** A piece that has run, and is not answered before what it wrote or saw is on the disk. */
export interface Done {
  readonly piece: Piece;
  readonly result: Result;
}

/**
 * Most pieces only read, and those have nothing to take back: the savepoint begins with the first write.
 *
 * @returns also whether anything was written that stays
 */
export async function runInSavepoint(
  tx: Tx,
  work: Piece['work'],
  statements: Statements,
): Promise<{ readonly result: Result; readonly hasWritten: boolean }> {
  const statement = (text: string) => statements.prepare(text).run();
  let hasWritten = false;
  statements.beforeWriting = () => {
    statements.beforeWriting = null;
    statement('savepoint piece');
    hasWritten = true;
  };
  try {
    const value = await work(tx);
    if (hasWritten) statement('release piece');
    return { result: { value }, hasWritten };
  } catch (error) {
    statements.memory.clear();
    if (hasWritten && statements.isInTransaction()) {
      statement('rollback to piece');
      statement('release piece');
    }
    return { result: { error }, hasWritten: false };
  } finally {
    statements.beforeWriting = null;
  }
}

/** What SQLite says of its file, and not of the statement, is an outage: the same again may work later. */
function asUnavailable(error: unknown, known?: StorageUnavailable): unknown {
  const isOutage =
    error instanceof SQLite.SqliteError &&
    /^SQLITE_(?:BUSY|LOCKED|READONLY|FULL|IOERR|CANTOPEN|NOMEM)/.test(error.code);
  if (!isOutage) return error;
  return known ?? new StorageUnavailable('the file cannot be written', { cause: error });
}

/** Those that wait for their turn; and a count of all that wait for an answer, so that there is an end to them. */
export class Queue {
  readonly #most: number;
  #waiting: Piece[] = [];
  #unanswered = 0;
  #wake: () => void = () => {};

  /** @param most how many may be unanswered */
  constructor(most: number) {
    this.#most = most;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** @returns what comes of the work; rejects at once where too much is waiting */
  add(work: Piece['work']): Promise<unknown> {
    if (this.#unanswered >= this.#most) {
      return Promise.reject(new StorageUnavailable('too many transactions are waiting'));
    }
    this.#unanswered += 1;
    return new Promise((resolve, reject) => {
      this.again([{ work, resolve, reject, isAnswered: false, writes: false }]);
    });
  }

  /** Lets pieces wait once more that were taken. */
  again(pieces: readonly Piece[]): void {
    this.#waiting.push(...pieces);
    this.#wake();
  }

  /** Takes those that waited longest. */
  take(most = this.#waiting.length): Piece[] {
    return this.#waiting.splice(0, most);
  }

  /** Resolves when the next piece comes. One at a time may wait for that. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** @param outage what a piece that could not write is told, where that is known already */
  answer(piece: Piece, result: Result, outage?: StorageUnavailable): void {
    if (piece.isAnswered) return;
    piece.isAnswered = true;
    this.#unanswered -= 1;
    if ('error' in result) piece.reject(asUnavailable(result.error, outage));
    else piece.resolve(result.value);
  }

  reject(pieces: readonly Piece[], error: StorageUnavailable): void {
    for (const piece of pieces) this.answer(piece, { error });
  }
}
