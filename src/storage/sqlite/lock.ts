/** Keeps a data folder to one process: its lock file, and what ties that file to the database beside it. */
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { reasonOf, rightsProblem } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { isBusy } from './statements.ts';

/** The right to use a data folder, until it is closed or the process dies, however it dies. */
export type FolderLock = ReturnType<typeof lockFolder>;

/**
 * Takes the lock file of a data folder: an exclusive lock of SQLite's own, which the system drops with the process.
 *
 * @throws StartupError if another process has it, or the folder cannot be written
 */
export function lockFolder(folder: string) {
  const path = join(folder, 'memberdoor.lock');
  let lock: SQLite.Database;
  try {
    lock = new SQLite(path, { timeout: 0 });
  } catch (error) {
    throw (
      rightsProblem(path) ??
      new StartupError(`The data folder ${folder} cannot be written: ${reasonOf(error)}.`)
    );
  }
  try {
    lock.pragma('journal_mode = memory');
    // The lock stays when a transaction ends, as the one does that writes the mark.
    lock.pragma('locking_mode = exclusive');
    lock.exec('begin exclusive');
    const mark = Number(lock.pragma('user_version', { simple: true }));
    lock.exec('commit');
    return {
      /** The number that the lock file and the database share; 0 in a lock file that was made just now. */
      mark,
      /** Gives the lock file a mark, before the database gets the same. */
      setMark: (next: number) => {
        lock.pragma(`user_version = ${next}`);
      },
      close: () => {
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    const why = isBusy(error) ? 'another memberdoor is using it' : reasonOf(error);
    throw new StartupError(`The data folder ${folder} cannot be opened: ${why}.`);
  }
}

/**
 * Makes sure that the lock file is the one that has guarded this database, and not a new one: a lock lies on a file,
 * not on its name, so that a file which was deleted goes on being locked by the process that has it open, and
 * the next one is free (security, F12). Both carry the same mark. Where the marks differ, the database itself tells:
 * the process that serves it has a lock on it, which lets readers in and keeps an exclusive lock out. It is asked
 * for in that case alone, because a backup that runs while the service starts has such a lock too.
 *
 * @param sqlite a connection to the database that has done nothing yet
 * @throws StartupError if another program has the database open
 */
export function checkLock(sqlite: SQLite.Database, lock: FolderLock, path: string): void {
  const mark = Number(sqlite.pragma('user_version', { simple: true }));
  if (mark === 0 || mark !== lock.mark) claimAlone(sqlite, path);
}

function claimAlone(sqlite: SQLite.Database, path: string): void {
  sqlite.pragma('locking_mode = exclusive');
  try {
    sqlite.exec('begin exclusive');
    sqlite.exec('rollback');
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new StartupError(
      `The database ${path} cannot be opened: its lock file is not the one that it was used with, and another program has it open, such as a memberdoor whose lock file was deleted. Stop that program first.`,
    );
  } finally {
    // The lock goes with the next transaction that ends.
    sqlite.pragma('locking_mode = normal');
  }
  sqlite.prepare('select 1 from sqlite_schema').get();
}
