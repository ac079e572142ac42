/** One piece of work, and how it runs among those that share a transaction with it. */
import SQLite from 'better-sqlite3';
import type { Statements } from '../queries/statements.ts';
import type { Tx } from '../store.ts';

/** Nothing was committed: the file is locked, full or read-only, or too much is waiting. Answered with 503. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** Work that waits for its turn, and who is told what came of it. */
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

/** What made SQLite take back the whole transaction. */
export function takenBack(result: Result): unknown {
  return 'error' in result ? result.error : new Error('SQLite took the transaction back');
}

export function isBusy(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** What SQLite says of its file, and not of the statement, is an outage: the same again may work later. */
export function asUnavailable(error: unknown, known?: StorageUnavailable): unknown {
  const isOutage =
    error instanceof SQLite.SqliteError &&
    /^SQLITE_(?:BUSY|LOCKED|READONLY|FULL|IOERR|CANTOPEN|NOMEM)/.test(error.code);
  if (!isOutage) return error;
  return known ?? new StorageUnavailable('the file cannot be written', { cause: error });
}
