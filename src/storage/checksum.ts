// The checksum of a backup: a line of text behind the last page, where SQLite does not look.
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { checksumBytes } from '../core/operators/limits.ts';
import { reasonOf } from '../files.ts';
import { StartupError } from '../startup-error.ts';
import { applicationId } from './check.ts';

/** What stands before the SHA-256 of all pages, in hexadecimal, and a line end. */
const label = 'memberdoor-backup sha256 ';
/** The header of a database (SQLite file format §1.3). */
const headerBytes = 100;
const trailerBytes = label.length + 64 + 1;

/** Puts the checksum of a database file behind it; no process may have it open. */
export function appendChecksum(path: string): void {
  appendFileSync(path, `${label}${hashOf(path, Number.POSITIVE_INFINITY)}\n`);
}

/**
 * Compares a backup with its checksum.
 *
 * @returns false if it has none: an older version made it, or it is a plain copy of a database
 * @throws StartupError if the file is no database of ours, or a byte of it was changed, or its end is missing
 */
export function hasRightChecksum(path: string): boolean {
  const { pages, size } = lengthOf(path);
  if (size === pages) return false;
  const isRight =
    size === pages + trailerBytes && textAt(path, pages, trailerBytes) === `${label}${hashOf(path, pages)}\n`;
  if (isRight) return true;
  throw new StartupError(
    `The file ${path} was changed or cut since it was written: it does not fit its checksum. Take another backup.`,
  );
}

/** Takes the checksum away again: what is left is the database as it was. */
export function dropChecksum(path: string): void {
  const { pages } = lengthOf(path);
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, pages);
  } finally {
    closeSync(file);
  }
}

/** How many bytes the pages of a database take, by its header (SQLite file format §1.3), and how many there are. */
function lengthOf(path: string): { readonly pages: number; readonly size: number } {
  const file = openForReading(path);
  try {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, header.length, 0);
    if (header.toString('latin1', 0, 15) !== 'SQLite format 3' || header.readUInt32BE(68) !== applicationId) {
      throw new StartupError(`The file ${path} is not a database of memberdoor.`);
    }
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    return { pages: pageSize * header.readUInt32BE(28), size: fstatSync(file).size };
  } finally {
    closeSync(file);
  }
}

function openForReading(path: string): number {
  try {
    if (!statSync(path).isFile()) throw new StartupError(`${path} is not a file, and a backup is one.`);
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The file ${path} cannot be read: ${reasonOf(error)}.`);
  }
}

function textAt(path: string, from: number, length: number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, from);
    return bytes.toString('latin1');
  } finally {
    closeSync(file);
  }
}

function hashOf(path: string, until: number): string {
  const file = openSync(path, 'r');
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(checksumBytes);
    for (let at = 0; at < until; ) {
      const read = readSync(file, buffer, 0, Math.min(buffer.length, until - at), at);
      if (read === 0) break;
      hash.update(buffer.subarray(0, read));
      at += read;
    }
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}
