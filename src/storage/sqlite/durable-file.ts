/** The files behind the connection that writes: what a group commit needs of them, put together. */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type SQLite from 'better-sqlite3';
import { reasonOf } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { createCheckpointer } from './checkpointer.ts';
import type { FolderLock } from './lock.ts';
import { type Lost, watchPlace } from './place.ts';
import { Snapshot } from './snapshot.ts';
import { type Disk, WriteAheadLog } from './write-ahead-log.ts';

const systemDisk: Disk = {
  synchronise: promisify(fdatasync),
  synchroniseAtOnce: fdatasyncSync,
  now: () => performance.now(),
  wait: (ms) => wait(ms),
};

/** Who is told of what happens to the files, and the disk that they are on. */
export interface FileSurroundings {
  /** Is told once, in a sentence, that the database is no longer the file that is open. */
  readonly lost?: ((why: string) => void) | undefined;
  /** The system's own unless given. */
  readonly disk?: Disk | undefined;
}

/** What a group commit needs of the files behind its connection. */
export interface DurableFile {
  /** What became of the database file, if it is not the one that was opened (security, F11). */
  lost(): Lost | null;
  /** Looks whether it still is. */
  check(): Lost | null;
  /** Resolves when all that is committed is on the disk, in the file that the next start will open. */
  sync(): Promise<void>;
  /** The same, while the event loop waits. */
  syncAtOnce(): void;
  /** The time by which the disk is quick or slow, ms. */
  now(): number;
  wait(ms: number): Promise<void>;
  /** Undoes what was committed and is not on the disk. */
  takeBack(): void;
  /** Whether a checkpoint is due. */
  isFull(): boolean;
  /** @param alone ends what still reads from the log, for a moment, and does this */
  checkpoint(alone: (work: () => void) => void): Promise<void>;
  /** Holds a snapshot of all that is committed, which is on the disk at that moment. */
  holdSnapshot(): void;
  /** The snapshot while it is held; null otherwise. */
  snapshot(): Snapshot | null;
}

export interface OpenFile extends DurableFile {
  /** Begins to clean the file: each checkpoint from now on does some of its pages (security, F14). */
  clean(): void;
  /** The page that the next checkpoint goes on at with cleaning; null if none is left. */
  cleaningAt(): number | null;
  /**
   * Ends all but the connection that writes, and empties the log. To be called when nothing waits any more.
   *
   * @returns false if the database is not the file that was opened: then nothing of it may be touched
   */
  leave(): Promise<boolean>;
  /** To be called after the last connection is closed. */
  close(): void;
}

/**
 * @param sqlite the connection, after the migrations
 * @param surroundings are told once that the database is no longer the file that is open
 * @throws StartupError
 */
export function durableFile(
  path: string,
  sqlite: SQLite.Database,
  lock: FolderLock,
  { lost: tell = () => {}, disk = systemDisk }: FileSurroundings,
): OpenFile {
  // What is kept of pages in memory has their gaps as they were, and would write them again.
  const checkpointer = createCheckpointer(path, () => sqlite.pragma('shrink_memory'));
  const log = openLog();
  const place = watchPlace(path, ({ why }) => tell(why));
  let snapshot: Snapshot | null = null;
  let database: number | null = null;
  const confirm = () => {
    const lost = place.check();
    if (lost !== null) throw new Error(lost.why);
  };
  return {
    lost: () => place.lost(),
    check: () => place.check(),
    sync: () => log.sync(confirm),
    syncAtOnce: () => log.syncAtOnce(confirm),
    now: () => disk.now(),
    wait: (ms) => disk.wait(ms),
    takeBack: () => log.takeBack(),
    isFull: () => log.isFull,
    checkpoint: async (alone) => {
      // The thread opens the database by its name, and must not write into another file.
      await checkpointer.prepare();
      if (place.check() === null) await place.writing(() => log.checkpoint(alone));
    },
    clean: () => {
      // Closed with the last connection and not before: that drops the locks that SQLite has on the file.
      database ??= openSync(path, 'r+');
      if (place.check() === null) checkpointer.clean(database);
    },
    cleaningAt: () => checkpointer.cleaningAt(),
    holdSnapshot: () => {
      try {
        snapshot ??= new Snapshot(path, () => place.check() === null);
        snapshot.hold();
      } catch {
        // It cannot be opened now: readers wait for the disk.
      }
    },
    snapshot: () => (snapshot?.isHeld === true ? snapshot : null),
    leave: async () => {
      place.leave();
      if (place.check() !== null) return false;
      await checkpointer.close();
      snapshot?.close();
      sqlite.pragma('synchronous = full');
      sqlite.pragma('wal_checkpoint(truncate)');
      return true;
    },
    close: () => {
      log.close();
      if (database !== null) closeSync(database);
    },
  };

  function openLog(): WriteAheadLog {
    try {
      return new WriteAheadLog(path, sqlite, checkpointer, (mark) => lock.setMark(mark), disk);
    } catch (error) {
      throw new StartupError(`The database ${path} cannot be written: ${reasonOf(error)}.`);
    }
  }
}
