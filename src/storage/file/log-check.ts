/** Tells before a start whether the write-ahead log beside a database is that database's own (security, F11). */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StartupError } from '../../startup-error.ts';

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
  const file = openSync(path, 'r');
  try {
    const frame = Buffer.alloc(frameHeaderBytes + databaseHeaderBytes);
    for (let at = logHeaderBytes; at + size <= fstatSync(file).size; at += size) {
      readSync(file, frame, 0, frame.length, at);
      // What follows is of a time before the log was begun again.
      if (!frame.subarray(8, 16).equals(salt)) break;
      if (frame.readUInt32BE(0) === 1) marks.add(frame.readInt32BE(frameHeaderBytes + userVersionAt));
      else if (marks.size === 0) return null;
    }
  } finally {
    closeSync(file);
  }
  return marks.size === 0 ? null : marks;
}

/** The first bytes of a file: fewer where it is shorter, none where it is not there. */
function headOf(path: string, length: number): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const head = Buffer.alloc(length);
    return head.subarray(0, readSync(file, head, 0, length, 0));
  } finally {
    closeSync(file);
  }
}
