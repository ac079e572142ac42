// What a store is, whatever keeps it.
import type { Transaction } from 'kysely';
import type { Database } from './schema.ts';

/** The first argument of every repository function: the database cannot be used outside a transaction. */
export type Tx = Transaction<Database>;

/** The open database: a file of SQLite, which this process has alone, or one of PostgreSQL, which several processes share. */
export interface Store {
  /**
   * Runs `work` in a transaction and resolves after its commit is on the disk. Pieces that wait at the same
   * time share one commit; one that throws is rolled back alone. Nothing but awaits on `tx` inside. If the
   * commit fails it runs once more, where nothing can be written, so that reading goes on.
   *
   * @throws StorageUnavailable if what it wrote could not be committed; nothing was changed then, unless it is
   *   `CommitUnanswered`
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same for work that only reads as a rule: where processes share the database, such pieces share a snapshot,
   * which is not older than they are. Work that changes something after all runs once more, in a transaction of its
   * own.
   */
  lookUp<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same as `transaction` for work that nothing else is decided by, and that decides by nothing that others change but
   * the rows that it changes itself: where processes share the database, it is in the way of none of them.
   */
  apart<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Whether other processes may have it open. */
  readonly isShared: boolean;
  /**
   * Asks prepared queries at once, each committed by itself: what is counted in a transaction stays counted if that is
   * taken back, and waits for none. A crash of the database may forget the last second. Null where this process is
   * the only one, and counts in its memory.
   */
  readonly autocommit: Tx | null;
  /** How many transactions wait for a commit of their own or a shared one. */
  waiting(): number;
  /** What the engine tells the operator of itself. */
  figures(): Promise<EngineFigures>;
  /** Whether the database is no longer the file that is open (security, F11). */
  isLost(): boolean;
  /** Begins to clean the file: each checkpoint from now on does some of its pages (security, F14). */
  clean(): void;
  /** The page that the next checkpoint goes on at with cleaning; null if none is left. */
  cleaningAt(): number | null;
  close(): Promise<void>;
}

/** How work runs: as one that may change anything, or as one that only reads as a rule. */
export type TransactionKind = 'transaction' | 'lookUp';

/** What an engine tells of itself, each figure by its name. */
export interface EngineFigures {
  /** Bytes that it takes on its disk. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Connections of this process to the database. */
  readonly connections: Readonly<Record<string, number>>;
  /** Transactions of this process that ran again, since others were in their way. */
  readonly retries: number;
}

/** Nothing was committed: the file is locked, full or read-only, or too much is waiting. Answered with 503. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** The database was asked to commit and did not say whether it has: it is neither told as done nor done again. */
export class CommitUnanswered extends StorageUnavailable {
  override readonly name = 'CommitUnanswered';

  constructor(cause: unknown) {
    super('the database did not say whether the transaction is committed', { cause });
  }
}

/**
 * Is told of each group that was committed or failed to be.
 *
 * @param ms from the beginning of the transaction until it is on the disk, waiting for the file included
 * @param pieces how many pieces of work shared it
 */
export type CommitObserver = (ms: number, pieces: number) => void;
