// Verifies JWTs that others signed: assertions and request objects of clients, proofs of possession.
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { compactVerify } from 'jose/jws/compact/verify';
import { importJWK } from 'jose/key/import';
import { parseJson } from '../core/json.ts';
import {
  algorithmOf,
  type ForeignAlgorithm,
  type ForeignKey,
  isMeantFor,
  readForeignKey,
  signsBy,
} from '../core/oidc/client/foreign-key.ts';
import { foreignJwtLength } from '../core/oidc/limits.ts';

type Members = Readonly<Record<string, unknown>>;

/** What a JWT of another must be. */
export interface ForeignJwtExpected {
  /** The values of `typ` that are taken, in lower case; null where it may be left out (RFC 8725 §3.11). */
  readonly types: readonly (string | null)[];
  readonly algorithms: readonly ForeignAlgorithm[];
  /** The keys of the signer, as in a JWKS; or the key is the one in the header (RFC 9449 §4.2). */
  readonly keys: readonly object[] | 'in-header';
}

/** A JWT whose signature is right. What its claims say is for the caller to judge. */
export interface VerifiedJwt {
  readonly ok: true;
  readonly header: Members;
  readonly claims: Members;
  /** The thumbprint of the key that signed (RFC 7638). */
  readonly thumbprint: string;
}

/** Why a JWT is refused, in words for the audit, without anything of it. */
export interface RefusedJwt {
  readonly ok: false;
  readonly reason: string;
  /** Whether none of the keys is the one that it names: the signer may have published another since. */
  readonly isKeyUnknown: boolean;
}

const refused = (reason: string, isKeyUnknown = false): RefusedJwt => ({ ok: false, reason, isKeyUnknown });

/** Read before the signature is verified: none of it is true yet. */
interface ReadJwt {
  readonly header: Members;
  readonly claims: Members;
}

/**
 * Verifies a compact JWS whose payload is a JSON object (RFC 7515 §7.1, RFC 7519 §7.2; RFC 8725 §3). `jku`, `x5u` and
 * `x5c` are not looked at. It awaits, so it has no place in a transaction. Nothing is thrown.
 */
export async function verifyForeignJwt(
  token: string,
  expected: ForeignJwtExpected,
): Promise<VerifiedJwt | RefusedJwt> {
  const read = readForeignJwt(token);
  if (typeof read === 'string') return refused(read);
  const { header, claims } = read;
  if (!expected.types.includes(typeOf(header))) return refused('its typ is another');
  const algorithm = algorithmOf(header.alg);
  if (algorithm === null || !expected.algorithms.includes(algorithm)) return refused('its alg is not taken');
  const key =
    expected.keys === 'in-header' ? keyInHeader(header) : keyAmong(expected.keys, header, algorithm);
  if ('ok' in key) return key;
  if (!signsBy(key, algorithm)) return refused('its key does not sign by its alg');
  try {
    const alg = String(header.alg);
    await compactVerify(token, await importJWK(key, alg), { algorithms: [alg] });
    return { ok: true, header, claims, thumbprint: await calculateJwkThumbprint(key) };
  } catch {
    return refused('its signature is wrong');
  }
}

/**
 * What a JWT says before it is verified, such as its issuer: that decides which keys are looked at, and nothing else.
 *
 * @returns its parts, or why it is none
 */
export function readForeignJwt(token: string): ReadJwt | string {
  if (token.length > foreignJwtLength) return 'it is too long';
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token);
  if (parts === null) return 'it is no JWS with a signature';
  const [header, claims] = [parts[1], parts[2]].map((part) =>
    parseJson(Buffer.from(String(part), 'base64url')),
  );
  if (!isObject(header) || !isObject(claims))
    return 'its header or its claims are no JSON object with unique names';
  // No extension is understood that must be (RFC 7515 §4.1.11), nor a payload that is not encoded (RFC 7797 §3).
  if (Object.hasOwn(header, 'crit')) return 'its header has crit';
  if (Object.hasOwn(header, 'b64') && header.b64 !== true) return 'its payload is not encoded';
  return { header, claims };
}

/** Upper and lower case are one, and "application/" may be left out (RFC 7515 §4.1.9). */
function typeOf({ typ }: Members): string | null {
  if (typ === undefined) return null;
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
}

function keyInHeader({ jwk }: Members): ForeignKey | RefusedJwt {
  if (jwk === undefined) return refused('its header has no jwk');
  const key = readForeignKey(jwk);
  return typeof key === 'string' ? refused(`the jwk in its header is ${problemWords[key]}`) : key;
}

const problemWords = {
  malformed: 'malformed',
  private: 'a private one',
  unsupported: 'of a type that is not taken',
  rsa_size: 'an RSA key of a size that is not taken',
} as const;

/** The one key that it can be: by `kid`, or, where it names none, because no other fits (Core §10.1). */
function keyAmong(
  keys: readonly object[],
  { kid }: Members,
  algorithm: ForeignAlgorithm,
): ForeignKey | RefusedJwt {
  if (kid !== undefined && typeof kid !== 'string') return refused('its kid is no text');
  const named = kid === undefined ? keys : keys.filter((jwk) => 'kid' in jwk && jwk.kid === kid);
  if (named.length === 0) return refused('none of the keys is the one that it names', true);
  const fitting = named
    .filter((jwk) => isMeantFor(jwk, algorithm))
    .map(readForeignKey)
    .filter((key): key is ForeignKey => typeof key !== 'string' && signsBy(key, algorithm));
  const [only, ...others] = fitting;
  if (only === undefined) return refused('none of the keys fits its alg', true);
  return others.length === 0 ? only : refused('several keys fit, and it does not say by which it is signed');
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
