// Checks a password against a hash of any kind, and does as much work of a kind as a check of it takes.
import { createDecipheriv, createHash, createHmac, hash as digestOf, timingSafeEqual } from 'node:crypto';
import { ownUnit } from '../../core/hashes/hash-work.ts';
import type { Argon2Hash, InnerDigest, StoredHash } from '../../core/hashes/stored-hash.ts';
import type { Hashing } from './hashing.ts';

/** Whether a password is the one of a hash. What other systems hashed is what was typed, in the form in which it was. */
export async function checkHash(hashing: Hashing, password: string, hash: StoredHash): Promise<boolean> {
  const { message, isWhole } = messageOf(hash, password);
  switch (hash.kind) {
    case 'argon2':
      return isSame(await argon2Tag(hashing, message, hash), hash.tag);
    case 'bcrypt': {
      const { settings, text } = hash;
      return isSame(await hashing.aside({ kind: 'bcrypt', password: String(message), settings }), text);
    }
    case 'scrypt':
    case 'firebase': {
      const key = await scryptKey(hashing, message, hash);
      return hash.kind === 'scrypt' ? isSame(key, hash.key) : isSame(signerOf(hash.sealed, key), hash.signer);
    }
    case 'pbkdf2': {
      const { digest, salt, iterations, key } = hash;
      return isSame(await hashing.pbkdf2(digest, message, salt, iterations, key.length), key);
    }
    case 'sha-crypt': {
      const { digest, salt, rounds } = hash;
      const task = { kind: 'sha-crypt', digest, password: String(message), salt, rounds } as const;
      return isSame(await hashing.aside(task), hash.hash) && isWhole;
    }
    case 'phpass': {
      const { salt, rounds } = hash;
      const task = { kind: 'phpass', password: String(message), salt, rounds } as const;
      return isSame(await hashing.aside(task), hash.hash) && isWhole;
    }
  }
}

/** The tag of argon2 over a message. */
export function argon2Tag(
  hashing: Hashing,
  message: Buffer,
  { variant, memory, passes, parallelism, salt, tag }: Omit<Argon2Hash, 'kind' | 'inner'>,
): Promise<Buffer> {
  return hashing.argon2(variant, {
    message,
    nonce: salt,
    tagLength: tag.length,
    memory,
    passes,
    parallelism,
  });
}

function scryptKey(
  hashing: Hashing,
  message: Buffer,
  hash: Extract<StoredHash, { kind: 'scrypt' | 'firebase' }>,
): Promise<Buffer> {
  const { cost, blockSize, parallelization, salt } = hash;
  const length = hash.kind === 'scrypt' ? hash.key.length : 32;
  return hashing.scrypt(message, salt, { cost, blockSize, parallelization, length });
}

/** The SHA-256 of what Firebase's key opens, which is the key of its project if the password is right. */
function signerOf(sealed: Buffer, key: Buffer): Buffer {
  const cipher = createDecipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return createHash('sha256').update(cipher.update(sealed)).digest();
}

const isSame = (left: string | Buffer, right: string | Buffer): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/**
 * SHA-crypt and phpass take the whole password in each round: of more bytes than this the systems that had them took none,
 * and a thousand would cost as much as the rounds that are allowed many times over.
 */
const longestOfRounds = 256;

/** The part of a password that a kind hashes, and whether that is all of it. */
function messageOf(hash: StoredHash, password: string): { message: Buffer; isWhole: boolean } {
  const whole = (message: string) => ({ message: Buffer.from(message), isWhole: true });
  switch (hash.kind) {
    case 'argon2':
      return whole(hash.inner === null ? ownMessage(hash, password) : innerHex(hash.inner, password));
    case 'bcrypt':
      return whole(bcryptMessage(hash.of, password));
    case 'scrypt':
      return whole(hash.isFolded ? password.normalize('NFKC') : password);
    case 'firebase':
    case 'pbkdf2':
      return whole(password);
    case 'sha-crypt':
      return cut(password);
    case 'phpass':
      return cut(hash.isTrimmed ? phpTrimmed(password) : password);
  }
}

/** Ours are of the composed form (NFC); argon2id of others is checked as ours is. */
const ownMessage = ({ variant }: Argon2Hash, password: string) =>
  variant === ownUnit ? password.normalize('NFC') : password;

function bcryptMessage(of: Extract<StoredHash, { kind: 'bcrypt' }>['of'], password: string): string {
  switch (of) {
    case 'password':
      return password;
    case 'sha256':
      return digestOf('sha256', password, 'hex');
    case 'wordpress':
      return createHmac('sha384', 'wp-sha384').update(phpTrimmed(password)).digest('base64');
  }
}

const phpTrimmed = (password: string) => password.replaceAll(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '');

function cut(password: string) {
  const bytes = Buffer.from(password);
  // In whole characters, as it goes on as a text.
  const message = Buffer.from(
    bytes
      .subarray(0, longestOfRounds)
      .toString()
      .replace(/\ufffd+$/, ''),
  );
  return { message, isWhole: bytes.length <= longestOfRounds };
}

/** A fast digest, as it stands under argon2id. */
function innerHex({ digest, order, salt }: InnerDigest, password: string): string {
  const bytes = Buffer.from(password);
  return digestOf(digest, Buffer.concat(order === 'salt-first' ? [salt, bytes] : [bytes, salt]), 'hex');
}

/** Of no one. */
const noSalt = Buffer.alloc(16);
const bcryptSalt = '.'.repeat(22);

/** Takes as long as a check of so much of a unit does. */
export async function spendUnit(
  hashing: Hashing,
  password: string,
  unit: string,
  amount: number,
): Promise<void> {
  const [kind = '', first, second] = unit.split(' ');
  const message = Buffer.from(password);
  switch (kind) {
    case 'argon2d':
    case 'argon2i': {
      const [memory, parallelism] = [Number(first), Number(second)];
      const parameters = { variant: kind, memory, parallelism, passes: amount, salt: noSalt, tag: noSalt };
      await argon2Tag(hashing, message, parameters);
      return;
    }
    case 'scrypt': {
      const [cost, blockSize] = [Number(first), Number(second)];
      await hashing.scrypt(message, noSalt, { cost, blockSize, parallelization: amount, length: 32 });
      return;
    }
    case 'pbkdf2':
      await hashing.pbkdf2(String(first), message, noSalt, amount, 20);
      return;
    case 'bcrypt':
      // What is left is a sum of powers of two; 16 is the least that bcrypt takes.
      for (let cost = 31; cost >= 4; cost -= 1) {
        if (Math.floor(amount / 2 ** cost) % 2 === 0) continue;
        const settings = `$2b$${String(cost).padStart(2, '0')}$${bcryptSalt}`;
        await hashing.aside({ kind: 'bcrypt', password, settings });
      }
      return;
    case 'sha256-crypt':
    case 'sha512-crypt': {
      const digest = kind === 'sha256-crypt' ? 'sha256' : 'sha512';
      const { message: short } = cut(password);
      const task = { kind: 'sha-crypt', digest, password: String(short), salt: '', rounds: amount } as const;
      await hashing.aside(task);
      return;
    }
    case 'phpass': {
      const { message: short } = cut(password);
      await hashing.aside({ kind: 'phpass', password: String(short), salt: '', rounds: amount });
      return;
    }
  }
}
