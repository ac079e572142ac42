/**
 * Hashes of passwords as they are kept: ours, which are argon2id, and those that other systems made and that a member
 * brought along, until the first sign-in makes one of ours of them.
 */

/** A digest that was fast, and is kept only under argon2id. */
export interface InnerDigest {
  readonly digest: 'md5' | 'sha1' | 'sha256' | 'sha512';
  /** Where its salt stands beside the password. */
  readonly order: 'salt-first' | 'salt-last';
  readonly salt: Buffer;
}

/** argon2 (RFC 9106), version 1.3. */
export interface Argon2Hash {
  readonly kind: 'argon2';
  readonly variant: 'argon2d' | 'argon2i' | 'argon2id';
  /** KiB */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
  /** What was hashed in place of the password; null where it was the password itself. */
  readonly inner: InnerDigest | null;
}

interface BcryptHash {
  readonly kind: 'bcrypt';
  /** `$2b$10$` and 22 characters of salt. */
  readonly settings: string;
  readonly cost: number;
  readonly text: string;
  /** What of the password is hashed: itself, its SHA-256 in hex (Django), or its HMAC (WordPress 6.8). */
  readonly of: 'password' | 'sha256' | 'wordpress';
}

/** How scrypt is asked (RFC 7914 §2): N, r and p. */
interface ScryptCosts {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
}

interface ScryptHash extends ScryptCosts {
  readonly kind: 'scrypt';
  readonly salt: Buffer;
  readonly key: Buffer;
  /** Whether the password was brought to NFKC before. */
  readonly isFolded: boolean;
}

/** Firebase's: the key of scrypt encrypts the key of the project. We keep the SHA-256 of that key, not the key. */
interface FirebaseHash extends ScryptCosts {
  readonly kind: 'firebase';
  readonly salt: Buffer;
  readonly sealed: Buffer;
  readonly signer: Buffer;
}

/** The digests of PBKDF2, with the bytes that each makes at once. */
export const pbkdf2Digests = { sha1: 20, sha256: 32, sha512: 64 } as const;

interface Pbkdf2Hash {
  readonly kind: 'pbkdf2';
  readonly digest: keyof typeof pbkdf2Digests;
  readonly iterations: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** SHA-crypt of Unix (Drepper, version 0.6). */
interface ShaCryptHash {
  readonly kind: 'sha-crypt';
  readonly digest: 'sha256' | 'sha512';
  readonly rounds: number;
  readonly salt: string;
  readonly hash: string;
}

/** phpass's portable hash, of WordPress before 6.8 (`$P$`) and phpBB (`$H$`). */
interface PhpassHash {
  readonly kind: 'phpass';
  readonly rounds: number;
  readonly salt: string;
  readonly hash: string;
  /** WordPress takes white space off the ends of a password. */
  readonly isTrimmed: boolean;
}

export type StoredHash =
  | Argon2Hash
  | BcryptHash
  | FirebaseHash
  | Pbkdf2Hash
  | PhpassHash
  | ScryptHash
  | ShaCryptHash;

const b64 = '([A-Za-z0-9+/]*)';

/** Each kind as its text, and what is made of the parts of one. */
const texts: readonly (readonly [RegExp, (...parts: readonly string[]) => StoredHash])[] = [
  [
    new RegExp(
      `^(?:\\$over\\$(md5|sha1|sha256|sha512),(salt-first|salt-last)\\$${b64})?\\$(argon2(?:id|i|d))\\$v=19\\$m=(\\d{1,9}),t=(\\d{1,9}),p=(\\d{1,3})\\$${b64}\\$${b64}$`,
    ),
    (digest, order, innerSalt, variant, memory, passes, parallelism, salt, tag) => ({
      kind: 'argon2',
      variant: variant as Argon2Hash['variant'],
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      salt: bytesOf(salt),
      tag: bytesOf(tag),
      inner: digest === undefined ? null : ({ digest, order, salt: bytesOf(innerSalt) } as InnerDigest),
    }),
  ],
  [
    /^(\$wp|\$bcrypt-sha256)?(\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/,
    (before, settings = '', cost, hash = '') => ({
      kind: 'bcrypt',
      settings,
      cost: Number(cost),
      text: settings + hash,
      of: before === undefined ? 'password' : before === '$wp' ? 'wordpress' : 'sha256',
    }),
  ],
  [
    new RegExp(`^\\$scrypt\\$ln=(\\d{1,2}),r=(\\d{1,4}),p=(\\d{1,4})(,f=nfkc)?\\$${b64}\\$${b64}$`),
    (logarithm, r, p, folded, salt, key) => ({
      kind: 'scrypt',
      ...costsOf(logarithm, r, p),
      isFolded: folded !== undefined,
      salt: bytesOf(salt),
      key: bytesOf(key),
    }),
  ],
  [
    new RegExp(`^\\$firebase\\$ln=(\\d{1,2}),r=(\\d{1,4}),p=(1)\\$${b64}\\$${b64}\\$${b64}$`),
    (logarithm, r, p, salt, sealed, signer) => ({
      kind: 'firebase',
      ...costsOf(logarithm, r, p),
      salt: bytesOf(salt),
      sealed: bytesOf(sealed),
      signer: bytesOf(signer),
    }),
  ],
  [
    new RegExp(`^\\$pbkdf2-(sha1|sha256|sha512)\\$i=(\\d{1,9})\\$${b64}\\$${b64}$`),
    (digest, iterations, salt, key) => ({
      kind: 'pbkdf2',
      digest: digest as Pbkdf2Hash['digest'],
      iterations: Number(iterations),
      salt: bytesOf(salt),
      key: bytesOf(key),
    }),
  ],
  [
    /^\$([56])\$(?:rounds=(\d{4,9})\$)?([./0-9A-Za-z]{0,16})\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/,
    (id, rounds = '5000', salt = '', hash = '') => ({
      kind: 'sha-crypt',
      digest: id === '5' ? 'sha256' : 'sha512',
      rounds: Number(rounds),
      salt,
      hash,
    }),
  ],
  [
    /^\$([PH])\$([5-9A-S])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/,
    (letter, logarithm = '', salt = '', hash = '') => ({
      kind: 'phpass',
      rounds: 2 ** phpassDigits.indexOf(logarithm),
      salt,
      hash,
      isTrimmed: letter === 'P',
    }),
  ],
];

/** The digits of phpass and of crypt. */
export const phpassDigits = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function costsOf(logarithm = '', r = '', p = ''): ScryptCosts {
  return { cost: 2 ** Number(logarithm), blockSize: Number(r), parallelization: Number(p) };
}

/** Bytes from base64, and as it. A text that is no whole number of bytes is read as far as it goes. */
const bytesOf = (text = '') => Buffer.from(text, 'base64');
const base64Of = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Reads the text of a hash; null for what is none, such as that of an erased member. */
export function readStoredHash(text: string): StoredHash | null {
  for (const [pattern, read] of texts) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const [, ...parts] = found;
    return read(...(parts as readonly string[]));
  }
  return null;
}

/** The text of a hash that has none of its own. */
export function storedText(hash: Argon2Hash | FirebaseHash | Pbkdf2Hash | ScryptHash): string {
  const salt = base64Of(hash.salt);
  switch (hash.kind) {
    case 'argon2': {
      const { variant, memory, passes, parallelism, tag, inner } = hash;
      const over = inner === null ? '' : `$over$${inner.digest},${inner.order}$${base64Of(inner.salt)}`;
      return `${over}$${variant}$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${base64Of(tag)}`;
    }
    case 'scrypt':
      return `$scrypt$${scryptText(hash)}${hash.isFolded ? ',f=nfkc' : ''}$${salt}$${base64Of(hash.key)}`;
    case 'firebase':
      return `$firebase$${scryptText(hash)}$${salt}$${base64Of(hash.sealed)}$${base64Of(hash.signer)}`;
    case 'pbkdf2':
      return `$pbkdf2-${hash.digest}$i=${hash.iterations}$${salt}$${base64Of(hash.key)}`;
  }
}

const scryptText = ({ cost, blockSize, parallelization }: ScryptCosts) =>
  `ln=${Math.log2(cost)},r=${blockSize},p=${parallelization}`;
