// Public keys of others, such as clients, as they stand in a JWK (RFC 7517, RFC 7518 §6).
import { foreignRsa } from '../limits.ts';

/** What others may sign with: never a shared secret, and never `none`. EdDSA is Ed25519 (RFC 8037, RFC 9864). */
export const foreignAlgorithms = ['ES256', 'PS256', 'EdDSA', 'RS256'] as const;
export type ForeignAlgorithm = (typeof foreignAlgorithms)[number];

/** The members of a JWK that the key consists of: its thumbprint is made of these (RFC 7638 §3.2). */
export type ForeignKey =
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string };

/** Why a JWK is none that the service takes. */
export type ForeignKeyProblem = 'malformed' | 'private' | 'unsupported' | 'rsa_size';

/** Members that only a private or a shared key has (RFC 7518 §6.2.2, §6.3.2, §6.4). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** 32 bytes: a coordinate of P-256, or a key of Ed25519. */
const bytes32 = /^[\w-]{43}$/;
const base64urlText = /^[\w-]+$/;

/**
 * Reads a public key. Whether its point is on the curve is known when it is imported.
 *
 * @returns the members that it consists of, and nothing else; or why it is not taken
 */
export function readForeignKey(jwk: unknown): ForeignKey | ForeignKeyProblem {
  if (!isObject(jwk)) return 'malformed';
  if (privateMembers.some((name) => Object.hasOwn(jwk, name))) return 'private';
  const { kty, crv, x, y, n, e } = jwk;
  if (kty === 'EC' && crv === 'P-256') return is32(x) && is32(y) ? { kty, crv, x, y } : 'malformed';
  if (kty === 'OKP' && crv === 'Ed25519') return is32(x) ? { kty, crv, x } : 'malformed';
  if (kty !== 'RSA') return 'unsupported';
  if (!isBase64url(n) || !isBase64url(e)) return 'malformed';
  return hasRsaSize(n, e) ? { kty, n, e } : 'rsa_size';
}

/** A header's algorithm as we name it: RFC 9864 names Ed25519 by itself. */
export function algorithmOf(alg: unknown): ForeignAlgorithm | null {
  if (alg === 'Ed25519') return 'EdDSA';
  return foreignAlgorithms.find((known) => known === alg) ?? null;
}

const keyTypes: Readonly<Record<ForeignAlgorithm, ForeignKey['kty']>> = {
  ES256: 'EC',
  PS256: 'RSA',
  EdDSA: 'OKP',
  RS256: 'RSA',
};

/** Whether a key of this type signs by an algorithm. */
export const signsBy = ({ kty }: ForeignKey, algorithm: ForeignAlgorithm): boolean =>
  keyTypes[algorithm] === kty;

/** Whether a JWK says that it is for signatures of an algorithm, or does not say what it is for (RFC 7517 §4.2 to §4.4). */
export function isMeantFor(jwk: object, algorithm: ForeignAlgorithm): boolean {
  const { use, alg, key_ops: operations } = jwk as Readonly<Record<string, unknown>>;
  return (
    (use === undefined || use === 'sig') &&
    (alg === undefined || algorithmOf(alg) === algorithm) &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify')))
  );
}

function hasRsaSize(n: string, e: string): boolean {
  const modulus = Buffer.from(n, 'base64url');
  const { leastBits, mostBits, exponentBytes } = foreignRsa;
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24;
  return (
    modulus[0] !== 0 &&
    bits >= leastBits &&
    bits <= mostBits &&
    isExponent(Buffer.from(e, 'base64url'), exponentBytes)
  );
}

/** Odd, more than 1, and written in as few bytes as it needs (RFC 7518 §6.3.1.2). */
const isExponent = (e: Buffer, most: number): boolean =>
  e.length <= most && e[0] !== 0 && (e.at(-1) ?? 0) % 2 === 1 && !(e.length === 1 && e[0] === 1);

const is32 = (value: unknown): value is string => typeof value === 'string' && bytes32.test(value);
const isBase64url = (value: unknown): value is string =>
  typeof value === 'string' && base64urlText.test(value);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
