import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hmac } from '../core/hash.ts';
import { StartupError } from '../startup-error.ts';

/** Encrypts what must be read back, under a key that is never in the database (security, Defaults). */
export interface Vault {
  /** AES-256-GCM with the owner as associated data, so that one tenant's secret cannot pass as another's. */
  encrypt(plain: Buffer, owner: string): Buffer;
  /** @throws if the key or the owner is another, or a byte was changed */
  decrypt(sealed: Buffer, owner: string): Buffer;
  /** Recognises the key without telling it; stored beside what it encrypts. */
  readonly keyCheck: string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** @param masterKey 32 bytes */
export function openVault(masterKey: Buffer): Vault {
  const key = hmac(masterKey, 'vault');
  return {
    encrypt(plain, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(sealed, owner) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
        // Without it Node would take a tag that somebody cut short.
        authTagLength: tagBytes,
      })
        .setAAD(Buffer.from(owner))
        .setAuthTag(sealed.subarray(-tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    },
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

/**
 * The development start's master key: a file only its owner may read, made at the first start.
 *
 * @throws StartupError if the file is damaged, or readable by others
 */
export function developmentMasterKey(folder: string): Buffer {
  const path = join(folder, 'master.key');
  if (!existsSync(path)) {
    const key = randomBytes(32);
    writeFileSync(path, `${key.toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    return key;
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new StartupError(`The key file ${path} can be read by others: run chmod 600 on it.`);
  }
  const key = parseMasterKey(readFileSync(path, 'utf8'));
  if (key === null) throw new StartupError(`The key file ${path} does not hold 32 bytes in base64.`);
  return key;
}
