// Encrypts what the service must read back, under the master key.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hmac } from '../core/hash.ts';
import { reasonOf, rightsProblem, syncToDisk } from '../system/files.ts';
import { StartupError } from '../system/startup-error.ts';
import { decrypt, encrypt } from './cipher.ts';

/** Encrypts what must be read back, under a key that is never in the database (security, Defaults). */
export interface Vault {
  /** AES-256-GCM with the owner as associated data, so that one tenant's secret cannot pass as another's. */
  encrypt(plain: Buffer, owner: string): Buffer;
  /** @throws if the key or the owner is another, or a byte was changed */
  decrypt(sealed: Buffer, owner: string): Buffer;
  /** A secret of its own for each purpose, as base64url; all processes that have the master key make the same. */
  secretOf(...purpose: readonly string[]): string;
  /** Recognises the key without telling it; stored beside what it encrypts. */
  readonly keyCheck: string;
}

/** @param masterKey 32 bytes */
export function openVault(masterKey: Buffer): Vault {
  const key = hmac(masterKey, 'vault');
  return {
    encrypt: (plain, owner) => encrypt(key, plain, owner),
    decrypt: (sealed, owner) => decrypt(key, sealed, owner),
    secretOf: (...purpose) => hmac(masterKey, 'secret', ...purpose).toString('base64url'),
    keyCheck: hmac(masterKey, 'key check').toString('base64url'),
  };
}

/** Reads a master key as given: 32 bytes in base64 or base64url; null for anything else. */
export function parseMasterKey(text: string): Buffer | null {
  const trimmed = text.trim();
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return null;
  const key = Buffer.from(trimmed, 'base64');
  return key.length === 32 ? key : null;
}

const keyFile = 'master.key';

/**
 * The development start's master key: a file only its owner may read, made at the first start.
 *
 * @param mayMake whether nothing was encrypted yet: only then a key that is not there, or an empty file that a kill
 *   left, is made anew
 * @throws StartupError if the file is missing, damaged, not ours to read, or readable by others
 */
export function developmentMasterKey(folder: string, mayMake: boolean): Buffer {
  const path = join(folder, keyFile);
  const text = readKeyFile(path);
  if (text === '' && mayMake) return makeMasterKey(folder);
  const key = parseMasterKey(text);
  if (key !== null) return key;
  const what = !existsSync(path)
    ? 'is missing'
    : text === ''
      ? 'is empty'
      : 'does not hold 32 bytes in base64';
  throw new StartupError(`The key file ${path} ${what}: ${wayOn}.`);
}

/** Says what an operator with a wrong master key can do. */
const wayOn =
  'put back the one that this database was made with, or, if that is lost for good, make new keys with "memberdoor new-keys --lost-master-key", which keeps the members';

/** The master key of the settings, or of the development's file, is not the one of a database. */
export function wrongMasterKey(): StartupError {
  return new StartupError(`The master key is not the one this database was made with: ${wayOn}.`);
}

/** The master key of a data folder; null where it is lost: missing, empty or damaged. @throws StartupError */
export function findMasterKey(folder: string): Buffer | null {
  return parseMasterKey(readKeyFile(join(folder, keyFile)));
}

/** A master key that is kept nowhere yet. */
export const newMasterKey = (): Buffer => randomBytes(32);

/**
 * Makes a master key for a data folder. The file has its name only when the key is on the disk: an empty one would
 * stop every later start. A damaged one is kept beside it.
 */
export function makeMasterKey(folder: string): Buffer {
  const path = join(folder, keyFile);
  const begun = `${path}.new`;
  const key = newMasterKey();
  // What a start left that was cut off.
  rmSync(begun, { force: true });
  writeFileSync(begun, `${key.toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  if (existsSync(path) && statSync(path).size > 0) renameSync(path, `${path}.damaged`);
  renameSync(begun, path);
  syncToDisk(folder);
  return key;
}

/** @returns '' where there is no such file */
function readKeyFile(path: string): string {
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new StartupError(`The key file ${path} can be read by others: run chmod 600 on it.`);
    }
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : error;
    if (code === 'ENOENT') return '';
    throw rightsProblem(path) ?? new StartupError(`The key file ${path} cannot be read: ${reasonOf(error)}.`);
  }
}
