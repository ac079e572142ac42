// Checks at each open that a file is our database and is whole, and that the log beside it is its own.
import { existsSync, fstatSync, readSync, statSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { checkCachePages, readAheadBytes } from '../../core/operators/store-limits.ts';
import { bytesAt, withFile } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';

/** Marks a SQLite file as ours: "MDOR" in its header (`pragma application_id`). */
export const applicationId = 0x4d444f52;

/**
 * Makes sure before anything is answered that a file is a database of ours and that every page of it is sound
 * (security, Z12). It is read whole, which most of a start is spent on (security, Z21).
 *
 * @param sqlite a connection to it, whose cache is set after this
 * @throws StartupError in one line
 */
export function checkFile(sqlite: SQLite.Database, path: string): void {
  if (sqlite.pragma('application_id', { simple: true }) !== applicationId) {
    throw new StartupError(`The file ${path} is not a database of memberdoor.`);
  }
  // Each page is looked at once or twice: a cache that stays in the processor's own beats a larger one.
  sqlite.pragma(`cache_size = ${checkCachePages}`);
  // Whether each value is one of its column's `check` is asked at every write, and of every backup. Asking it here
  // again took half of the time, and of 7,000 damaged files found none that the rest did not.
  sqlite.pragma('ignore_check_constraints = on');
  const verdict = sqlite.pragma('quick_check(1)', { simple: true });
  sqlite.pragma('ignore_check_constraints = off');
  if (verdict !== 'ok') {
    throw new StartupError(
      `The database ${path} is damaged (${String(verdict).replace(/\s+/g, ' ')}). Restore a backup ("memberdoor restore FILE").`,
    );
  }
}

/**
 * Brings a file into the system's memory from its beginning to its end. The check goes through it tree by tree, and
 * on a disk that has to be asked for each page, as after a power cut, that takes ten times as long. A file that does
 * not fit would push its own beginning out again.
 *
 * It is called while this process has no connection to the file: closing it would drop the locks of all of them
 * (POSIX, fcntl).
 */
export function readAhead(path: string): void {
  if (statSync(path).size > process.availableMemory()) return;
  const buffer = Buffer.allocUnsafe(readAheadBytes);
  withFile(path, 'r', (file) => {
    while (readSync(file, buffer) > 0);
  });
}

/** The file formats of SQLite: https://sqlite.org/fileformat2.html §1.3 and §4.1. */
export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;
const databaseHeaderBytes = 100;
const userVersionAt = 60;

/**
 * Refuses a log that was written beside another database: SQLite would play its pages into whatever file has the
 * name now, such as an older copy that was put there under a running service. A log begins with page 1, which carries
 * the next higher mark (see `write-ahead-log.ts`); so the database has a mark of the log, or the one before its first.
 * A copy of the file that has such a mark is the same file, since nothing but a checkpoint writes into it; a backup
 * has none. A log that begins otherwise was begun by an older version, and is taken as it is.
 *
 * @param path of the database, which this process has not opened
 * @throws StartupError
 */
export function checkLog(path: string): void {
  const marks = marksOfLog(`${path}-wal`);
  if (marks === null) return;
  const mark = headOf(path, databaseHeaderBytes).readInt32BE(userVersionAt);
  if (marks.has(mark) || marks.has(mark + 1)) return;
  throw new StartupError(
    `The log ${path}-wal is not of the database ${path} but of one that was there before: changes that were confirmed may be in it. Put that database back, or restore a backup ("memberdoor restore FILE"), which keeps the log aside.`,
  );
}

/** @returns the marks that page 1 has in a log; null where there is no log, or it does not begin with page 1 */
function marksOfLog(path: string): ReadonlySet<number> | null {
  const header = headOf(path, logHeaderBytes);
  if (header.length < logHeaderBytes) return null;
  const salt = header.subarray(16, 24);
  const size = frameHeaderBytes + header.readUInt32BE(8);
  const marks = new Set<number>();
  withFile(path, 'r', (file) => {
    for (let at = logHeaderBytes; at + size <= fstatSync(file).size; at += size) {
      const frame = bytesAt(file, at, frameHeaderBytes + databaseHeaderBytes);
      // What follows is of a time before the log was begun again.
      if (!frame.subarray(8, 16).equals(salt)) break;
      if (frame.readUInt32BE(0) === 1) marks.add(frame.readInt32BE(frameHeaderBytes + userVersionAt));
      else if (marks.size === 0) break;
    }
  });
  return marks.size === 0 ? null : marks;
}

/** The first bytes of a file: fewer where it is shorter, none where it is not there. */
function headOf(path: string, length: number): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0);
  return withFile(path, 'r', (file) => bytesAt(file, 0, length).subarray(0, fstatSync(file).size));
}
