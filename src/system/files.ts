// Puts files onto the disk, and says in one sentence with a way on why one cannot be used.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { StartupError } from './startup-error.ts';

/** What the system and SQLite call it, and what an operator calls it. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'it would grow larger than this process may write',
  EROFS: 'the file system can only be read',
  EIO: 'the disk reports a failure',
  ENOENT: 'it is not there',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'the file or its folder can only be read',
  SQLITE_IOERR: 'the disk reports a failure',
};

/** Why something failed, as an operator would say it; it names no file. */
export function reasonOf(error: unknown): string {
  const known = knownReason(error);
  if (known !== null || !(error instanceof Error)) return known ?? String(error);
  // The system's own sentence repeats the path.
  return 'syscall' in error && 'code' in error ? String(error.code) : error.message;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

const isRefusal = (error: unknown) => ['EACCES', 'EPERM'].includes(codeOf(error));

function knownReason(error: unknown): string | null {
  const code = codeOf(error);
  // An operator who is root may have started this as another user (deploy/memberdoor.sh).
  if (isRefusal(error)) return `user ${ownUser()} may not do that`;
  // SQLite has finer codes, such as SQLITE_IOERR_WRITE.
  return reasons[code] ?? reasons[code.split('_').slice(0, 2).join('_')] ?? null;
}

/**
 * An error of the system or of storage in one line for the operator; null if it is neither, so that a mistake of
 * ours keeps its stack.
 *
 * @param what was not done; it begins the line
 */
export function asStartupError(error: unknown, what?: string): StartupError | null {
  const begun = what === undefined ? '' : `${what}: `;
  if (error instanceof StartupError) return new StartupError(`${begun}${error.message}`);
  const cause = error instanceof Error && knownReason(error) === null ? error.cause : error;
  const reason = knownReason(cause);
  if (reason === null) return null;
  const { path, dest } = cause as { readonly path?: unknown; readonly dest?: unknown };
  const file = dest ?? path;
  return new StartupError(
    `${begun}${typeof file === 'string' ? file : 'the data folder'} cannot be used: ${reason}.`,
  );
}

/** What this user lacks, to use these files; one that is not there has to be made in its folder. */
export function rightsProblem(...paths: readonly string[]): StartupError | null {
  const { R_OK, W_OK, X_OK } = constants;
  for (const path of paths) {
    // A folder that may not be entered looks as if nothing were in it.
    if (isRefused(dirname(path), X_OK)) return refused(dirname(path));
    if (existsSync(path) ? isRefused(path, R_OK | W_OK) : isRefused(dirname(path), W_OK)) {
      return refused(existsSync(path) ? path : dirname(path));
    }
  }
  return null;
}

function isRefused(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return false;
  } catch (error) {
    return isRefusal(error);
  }
}

/** The name of the user whom this process belongs to. */
export function ownUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the number may have no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}

function refused(path: string): StartupError {
  return new StartupError(
    `User ${ownUser()} may not read and write ${path}${ownerOf(path)}. Run this as the user that the service runs as, or give it the file (chown, chmod u+rw).`,
  );
}

function ownerOf(path: string): string {
  try {
    const { uid, mode } = statSync(path);
    return `, which belongs to user ${uid} (mode ${(mode & 0o777).toString(8)})`;
  } catch {
    return '';
  }
}

/**
 * Why a database cannot be opened. A restore signs all members out, so it is advised only where the file itself is
 * the trouble.
 */
export function openFailure(path: string, error: unknown): StartupError {
  if (error instanceof StartupError) return error;
  const rights = rightsProblem(path, `${path}-wal`, `${path}-shm`);
  if (rights !== null) return rights;
  const isDamaged = /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error));
  const advice = isDamaged ? ' Restore a backup ("memberdoor restore FILE").' : '';
  return new StartupError(`The database ${path} cannot be opened: ${reasonOf(error)}.${advice}`);
}

/** Puts a file or a folder's list of names onto the disk itself. */
export function syncToDisk(path: string): void {
  // Windows has no such thing for folders.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return;
  withFile(path, process.platform === 'win32' ? 'r+' : 'r', fsyncSync);
}

/** Opens a file as long as it is used. @param use gets its descriptor */
export function withFile<Result>(
  path: string,
  flags: string,
  use: (file: number) => Result,
  mode?: number,
): Result {
  const file = openSync(path, flags, mode);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** Bytes of an open file; zeroes behind its end. */
export function bytesAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, from);
  return bytes;
}
