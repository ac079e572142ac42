/** The files behind the connection that writes: what a group commit needs of them, put together. */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type SQLite from 'better-sqlite3';
import { reasonOf } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { createCheckpointer } from './checkpointer.ts';
import type { FolderLock } from './lock.ts';
import { watchPlace } from './place.ts';
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
  /** Called once, with a sentence, when the database is no longer the file that is open. */
  readonly lost?: ((why: string) => void) | undefined;
  /** The system's own unless given. */
  readonly disk?: Disk | undefined;
}

/** What a group commit needs of the files behind its connection. */
export type DurableFile = ReturnType<typeof durableFile>;

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
) {
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
    /** What became of the database file, if it is not the one that was opened (security, F11). */
    lost: place.lost,
    /** Looks whether it still is. */
    check: place.check,
    /** Resolves when all that is committed is on the disk, in the file that the next start will open. */
    sync: () => log.sync(confirm),
    /** The same, while the event loop waits. */
    syncAtOnce: () => log.syncAtOnce(confirm),
    /** The time by which the disk is quick or slow, ms. */
    now: () => disk.now(),
    wait: (ms: number) => disk.wait(ms),
    /** Undoes what was committed and is not on the disk. */
    takeBack: () => log.takeBack(),
    /** Whether a checkpoint is due. */
    isFull: () => log.isFull,
    /** @param alone ends what still reads from the log, for a moment, and does this */
    checkpoint: async (alone: (work: () => void) => void) => {
      // The thread opens the database by its name, and must not write into another file.
      await checkpointer.prepare();
      if (place.check() === null) await place.writing(() => log.checkpoint(alone));
    },
    /** Begins to clean the file: each checkpoint from now on does some of its pages (security, F14). */
    clean: () => {
      // Closed with the last connection and not before: that drops the locks that SQLite has on the file.
      database ??= openSync(path, 'r+');
      if (place.check() === null) checkpointer.clean(database);
    },
    /** The page that the next checkpoint goes on at with cleaning; null if none is left. */
    cleaningAt: checkpointer.cleaningAt,
    /** Holds a snapshot of all that is committed, which is on the disk at that moment. */
    holdSnapshot: () => {
      try {
        snapshot ??= new Snapshot(path, () => place.check() === null);
        snapshot.hold();
      } catch {
        // It cannot be opened now: readers wait for the disk.
      }
    },
    /** The snapshot while it is held; null otherwise. */
    snapshot: () => (snapshot?.isHeld === true ? snapshot : null),
    /**
     * Ends all but the connection that writes, and empties the log. To be called when nothing waits any more.
     *
     * @returns false if the database is not the file that was opened: then nothing of it may be touched
     */
    leave: async () => {
      place.leave();
      if (place.check() !== null) return false;
      await checkpointer.close();
      snapshot?.close();
      sqlite.pragma('synchronous = full');
      sqlite.pragma('wal_checkpoint(truncate)');
      return true;
    },
    /** To be called after the last connection is closed. */
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
