/** Password hashes as other systems write them, and what is kept of one. */
import {
  type InnerDigest,
  pbkdf2Digests,
  readStoredHash,
  type StoredHash,
  storedText,
} from './stored-hash.ts';

/** A password that a member brings along. */
export type ForeignPassword =
  /** A hash that is kept as it is. */
  | { readonly kind: 'hash'; readonly text: string }
  /** A digest that was fast, in hex: it is kept under argon2id alone, since a thief would try billions a second. */
  | { readonly kind: 'fast'; readonly hex: string; readonly inner: InnerDigest };

/** What stands beside a hash that does not say it itself. */
export interface BesideHash {
  readonly salt?: string | undefined;
  readonly order?: InnerDigest['order'] | undefined;
}

/** The text of a hash as it is kept. */
export const kept = (hash: Parameters<typeof storedText>[0]): ForeignPassword => ({
  kind: 'hash',
  text: storedText(hash),
});

/** A digest in hex, or null if it is none of its kind. */
export function fast(
  digest: string,
  value: Buffer,
  salt: Buffer,
  order: InnerDigest['order'],
): ForeignPassword | null {
  if (!isDigest(digest) || value.length !== digestBytes[digest]) return null;
  return { kind: 'fast', hex: value.toString('hex'), inner: { digest, order, salt } };
}

const digestBytes = { md5: 16, ...pbkdf2Digests } as const;
const isDigest = (digest: string): digest is InnerDigest['digest'] => Object.hasOwn(digestBytes, digest);
export const isPbkdf2Digest = (digest: string): digest is keyof typeof pbkdf2Digests =>
  Object.hasOwn(pbkdf2Digests, digest);

/** N of scrypt is a power of two. */
export const isPower = (cost: number) => cost >= 2 && Number.isInteger(Math.log2(cost));

/** Base64 in each of its dresses: `.` and `-` for `+`, `_` for `/`, with `=` or without. */
export const fromBase64 = (text: string): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');

type Reader = (found: readonly string[], beside: BesideHash) => ForeignPassword | null;

const asIs = (text: string): ForeignPassword | null =>
  readStoredHash(text) === null ? null : { kind: 'hash', text };

function pbkdf2(digest: string, iterations: string, salt: Buffer, key: Buffer): ForeignPassword | null {
  if (!isPbkdf2Digest(digest)) return null;
  return kept({ kind: 'pbkdf2', digest, iterations: Number(iterations), salt, key });
}

function scrypt(
  costs: readonly [cost: number, blockSize: number, parallelization: number],
  salt: Buffer,
  key: Buffer,
  isFolded = false,
): ForeignPassword | null {
  const [cost, blockSize, parallelization] = costs;
  if (!isPower(cost)) return null;
  return kept({ kind: 'scrypt', cost, blockSize, parallelization, salt, key, isFolded });
}

/** Each way to write a hash; the first that fits reads it. */
const ways: readonly (readonly [RegExp, Reader])[] = [
  [/^(\$.+)$/, ([text = '']) => asIs(text)],
  // Spring Security, and LDAP's name for crypt.
  [/^\{(?:bcrypt|argon2|crypt)\}(\$.+)$/i, ([text = '']) => asIs(text)],
  // passlib, and PHC with the length of the key.
  [
    /^\$pbkdf2(?:-(sha\d+))?\$(?:i=)?(\d{1,9})(?:,l=\d+)?\$([\w./+-]*)\$([\w./+-]+)$/,
    ([digest = 'sha1', iterations = '', salt = '', key = '']) =>
      pbkdf2(digest, iterations, fromBase64(salt), fromBase64(key)),
  ],
  // Django; ad hoc, but known.
  [
    /^pbkdf2_(sha\d+)\$(\d{1,9})\$([^$]*)\$([\w+/=]+)$/,
    ([digest = '', iterations = '', salt = '', key = '']) =>
      pbkdf2(digest, iterations, Buffer.from(salt), fromBase64(key)),
  ],
  [/^bcrypt\$(\$2.+)$/, ([text = '']) => asIs(text)],
  [/^bcrypt_sha256\$(\$2.+)$/, ([text = '']) => asIs(`$bcrypt-sha256${text}`)],
  [/^argon2(\$argon2.+)$/, ([text = '']) => asIs(text)],
  [
    /^scrypt\$(\d+)\$([^$]*)\$(\d+)\$(\d+)\$([\w+/=]+)$/,
    ([cost, salt = '', r, p, key = '']) =>
      scrypt([Number(cost), Number(r), Number(p)], Buffer.from(salt), fromBase64(key)),
  ],
  [
    /^(md5|sha1)\$([^$]*)\$([0-9a-f]+)$/,
    ([digest = '', salt = '', hex = '']) =>
      fast(digest, Buffer.from(hex, 'hex'), Buffer.from(salt), 'salt-first'),
  ],
  // Werkzeug, of Flask.
  [
    /^pbkdf2:(sha\d+):(\d{1,9})\$([^$]*)\$([0-9a-f]+)$/,
    ([digest = '', iterations = '', salt = '', hex = '']) =>
      pbkdf2(digest, iterations, Buffer.from(salt), Buffer.from(hex, 'hex')),
  ],
  [
    /^scrypt:(\d+):(\d+):(\d+)\$([^$]*)\$([0-9a-f]+)$/,
    ([cost, r, p, salt = '', hex = '']) =>
      scrypt([Number(cost), Number(r), Number(p)], Buffer.from(salt), Buffer.from(hex, 'hex')),
  ],
  // better-auth: its salt is the text, and not the bytes that it stands for.
  [
    /^([0-9a-f]{32}):([0-9a-f]{128})$/,
    ([salt = '', hex = '']) => scrypt([16_384, 16, 1], Buffer.from(salt), Buffer.from(hex, 'hex'), true),
  ],
  // LDAP (RFC 2307, and with a salt behind the digest).
  [
    /^\{S?(MD5|SHA|SHA256|SHA512)\}([\w+/=]+)$/i,
    ([name = '', text = '']) => {
      const digest = name.toLowerCase() === 'sha' ? 'sha1' : name.toLowerCase();
      const bytes = fromBase64(text);
      const length = isDigest(digest) ? digestBytes[digest] : 0;
      return fast(digest, bytes.subarray(0, length), bytes.subarray(length), 'salt-last');
    },
  ],
  [
    /^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i,
    ([hex = ''], { salt = '', order = 'salt-first' }) => {
      const bytes = Buffer.from(hex, 'hex');
      const [digest = ''] = Object.entries(digestBytes).find(([, length]) => length === bytes.length) ?? [];
      return fast(digest, bytes, Buffer.from(salt), order);
    },
  ],
  [/^([\w+/]{40,}={0,2})$/, ([text = '']) => aspNet(Buffer.from(text, 'base64'))],
];

/** ASP.NET Core Identity: a byte that says the version, and the parts one behind the other. */
function aspNet(bytes: Buffer): ForeignPassword | null {
  if (bytes[0] === 0 && bytes.length === 49) {
    return pbkdf2('sha1', '1000', bytes.subarray(1, 17), bytes.subarray(17));
  }
  if (bytes[0] !== 1 || bytes.length < 13) return null;
  const [prf = -1, iterations = 0, saltLength = 0] = [1, 5, 9].map((at) => bytes.readUInt32BE(at));
  const digest = ['sha1', 'sha256', 'sha512'][prf];
  const key = bytes.subarray(13 + saltLength);
  if (digest === undefined || key.length === 0) return null;
  return pbkdf2(digest, String(iterations), bytes.subarray(13, 13 + saltLength), key);
}

/**
 * Reads the text of a hash, whichever of the known systems wrote it.
 *
 * @returns null if it is none that is known
 */
export function readForeignHash(text: string, beside: BesideHash = {}): ForeignPassword | null {
  const trimmed = text.trim();
  for (const [pattern, read] of ways) {
    const [, ...found] = pattern.exec(trimmed) ?? [];
    const password = found.length === 0 ? null : read(found, beside);
    if (password !== null) return password;
  }
  return null;
}

/** A digest as it is kept, once its hex has been hashed by our own kind. */
export function overArgon2id(inner: InnerDigest, text: string): string {
  const hash = readStoredHash(text) as Extract<StoredHash, { kind: 'argon2' }>;
  return storedText({ ...hash, inner });
}
