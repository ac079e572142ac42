// Reads a file of members piece by piece, since it may be larger than the memory.
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { type FileHead, layoutOf } from '../core/import/format.ts';
import { headBytes, importFileBytes } from '../core/import/limits.ts';
import { type Piece, type Place, splitter } from '../core/import/split.ts';
import { reasonOf } from '../system/files.ts';
import { StartupError } from '../system/startup-error.ts';

/** A file as it was when it was looked at first. */
export interface ImportFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in base64url. */
  readonly hash: string;
  readonly head: Buffer;
  /** Tells it from one that took its place, or was written to. */
  readonly mark: string;
}

const markOf = (path: string): string => {
  const { dev, ino, size, mtimeMs } = statSync(path);
  return [dev, ino, size, mtimeMs].join(' ');
};

/** Reads a file once for what tells it from others. @throws StartupError */
export async function openImportFile(path: string): Promise<ImportFile> {
  try {
    const mark = markOf(path);
    const stat = statSync(path);
    const { size } = stat;
    if (!stat.isFile()) throw new StartupError(`${path} is no file.`);
    if (size > importFileBytes) {
      throw new StartupError(`${path} is larger than ${importFileBytes / 1_024 ** 2} MB: split it.`);
    }
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return { path, bytes: size, hash: hash.digest('base64url'), head: beginningOf(path), mark };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

function beginningOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(headBytes);
    return buffer.subarray(0, readSync(file, buffer, 0, headBytes, 0));
  } finally {
    closeSync(file);
  }
}

/** @throws StartupError if it is another file by now, or was written to */
export function demandUnchanged({ path, mark }: ImportFile): void {
  let now = '';
  try {
    now = markOf(path);
  } catch {
    // The file was deleted meanwhile.
  }
  if (now !== mark) {
    throw new StartupError(
      `${path} changed while it was read: run the command again with the file as it is now.`,
    );
  }
}

/** The pieces of a file from a place on. */
export async function* piecesOf(file: ImportFile, head: FileHead, from: Place): AsyncGenerator<Piece> {
  const cutter = splitter(layoutOf(head), from);
  const stream = createReadStream(file.path, {
    start: from.offset,
    end: Math.max(from.offset, file.bytes - 1),
  });
  if (from.offset < file.bytes) for await (const chunk of stream) yield* cutter.push(chunk as Buffer);
  yield* cutter.end();
}
