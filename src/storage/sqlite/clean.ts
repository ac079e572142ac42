// Overwrites what a database file holds beside its content: old copies of cells, and pages that are free.
import { fsyncSync, writeSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { cleanedPages } from '../../core/operators/store-limits.ts';
import { bytesAt, withFile } from '../../system/files.ts';

/** The file format of SQLite: https://sqlite.org/fileformat2.html §1.3, §1.5 and §1.6. */
const headerBytes = 100;
const interiorPages = [2, 5];
const leafPages = [10, 13];
/** With more pages the first byte of an overflow page could pass for the kind of another. */
const mostPages = 2 ** 24;
/** The page of the bytes that are locked is never used. */
const lockByte = 2 ** 30;

/**
 * Zeroes every byte of a database file that is no content. `secure_delete` overwrites what is deleted, but a page that
 * was split or merged keeps copies of the cells that it gave away, in the gap before its own: of 3,400 deleted values
 * 28 were found there. Only bytes that SQLite does not read are changed, so a power cut in between does no harm.
 *
 * @param path of a database that no process has open, whose log is empty
 * @returns how many pages were changed
 */
export function cleanFile(path: string): number {
  return withFile(path, 'r+', (file) => cleanPages(file, 1, () => false).changed);
}

/** Remembers that a file that is closed was cleaned. @param until when the last member was erased then (ms) */
export function noteCleaning(path: string, until: number): void {
  const sqlite = new SQLite(path, { fileMustExist: true });
  try {
    sqlite.prepare('update service set cleanedUntil = ?').run(until);
  } finally {
    sqlite.close();
  }
}

/** What was done, and the page to go on at; null after the last one. */
export interface Cleaned {
  readonly changed: number;
  readonly next: number | null;
}

/**
 * Does the same from a page on, until it is told to stop, for a database that is open: others may read it meanwhile.
 *
 * @param file descriptor of a database that has no other writer, and no page that is in the log alone
 * @param isOver is asked after each piece; one piece is always done
 */
export function cleanPages(file: number, first: number, isOver: () => boolean): Cleaned {
  const header = bytesAt(file, 0, headerBytes);
  const size = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const count = header.readUInt32BE(28);
  // A file that vacuums itself has pages of another kind; ours never does.
  if (count >= mostPages || header.readUInt32BE(52) !== 0) return { changed: 0, next: null };
  const usable = size - header.readUInt8(20);
  const free = freePages(file, header.readUInt32BE(32), size);
  let changed = 0;
  let next = first;
  do {
    const pages = bytesAt(
      file,
      (next - 1) * size,
      Math.max(0, Math.min(cleanedPages, count - next + 1)) * size,
    );
    for (let at = 0; at < pages.length; at += size) {
      const number = next + at / size;
      if (Math.floor(lockByte / size) + 1 === number) continue;
      const page = pages.subarray(at, at + size);
      const gaps = free.get(number) ?? gapsOf(page, number === 1, usable);
      if (!zero(page, gaps)) continue;
      writeSync(file, page, 0, size, (number - 1) * size);
      changed += 1;
    }
    next += cleanedPages;
  } while (next <= count && !isOver());
  if (changed > 0) fsyncSync(file);
  return { changed, next: next <= count ? next : null };
}

/** Bytes of a page, from one offset to another. */
type Gap = readonly [from: number, to: number];

/** The pages of the free list, with what of each is no list (§1.5). */
function freePages(file: number, firstTrunk: number, size: number): ReadonlyMap<number, Gap[]> {
  const free = new Map<number, Gap[]>();
  for (let trunk = firstTrunk; trunk !== 0 && !free.has(trunk); ) {
    const page = bytesAt(file, (trunk - 1) * size, size);
    const leaves = Math.min(page.readUInt32BE(4), size / 4 - 2);
    free.set(trunk, [[8 + 4 * leaves, size]]);
    for (let leaf = 0; leaf < leaves; leaf += 1) free.set(page.readUInt32BE(8 + 4 * leaf), [[0, size]]);
    trunk = page.readUInt32BE(0);
  }
  return free;
}

/** The parts of a page of a tree that are no cells (§1.6); none for a page of no tree, or one that does not add up. */
function gapsOf(page: Buffer, isFirst: boolean, usable: number): readonly Gap[] {
  const head = isFirst ? headerBytes : 0;
  const kind = page.readUInt8(head);
  if (![...interiorPages, ...leafPages].includes(kind)) return [];
  const pointers = head + (interiorPages.includes(kind) ? 12 : 8);
  const cells = pointers + 2 * page.readUInt16BE(head + 3);
  const content = page.readUInt16BE(head + 5) || 65_536;
  if (cells > content || content > usable) return [];
  const gaps: Gap[] = [[cells, content]];
  let last = content - 1;
  for (let block = page.readUInt16BE(head + 1); block !== 0; block = page.readUInt16BE(block)) {
    if (block <= last || block + 4 > usable) return [];
    const end = block + page.readUInt16BE(block + 2);
    if (end > usable) return [];
    gaps.push([block + 4, end]);
    last = block;
  }
  return gaps;
}

/** As many as the largest page of SQLite has. */
const zeroes = Buffer.alloc(65_536);

/** @returns whether there was anything but zeroes */
function zero(page: Buffer, gaps: readonly Gap[]): boolean {
  let isChanged = false;
  for (const [from, to] of gaps) {
    const gap = page.subarray(from, to);
    if (gap.equals(zeroes.subarray(0, gap.length))) continue;
    gap.fill(0);
    isChanged = true;
  }
  return isChanged;
}
