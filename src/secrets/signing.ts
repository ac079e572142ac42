// Makes signing keys, and signs and verifies tokens with them.
import { constants, createPrivateKey, createPublicKey, type KeyObject, sign as nodeSign } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { JWK, JWTPayload } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { jwtVerify } from 'jose/jwt/verify';
import { exportJWK } from 'jose/key/export';
import type { SigningAlgorithm } from '../core/tenant.ts';
import { newKeyPair } from './key-pairs.ts';

const signInThreadPool = promisify<string, Buffer, Parameters<typeof nodeSign>[2], Buffer>(nodeSign);

/**
 * The `typ` of what we sign: access tokens (RFC 9068 §2.1), id_tokens, logout tokens (Back-Channel Logout §2.4), and
 * what is said of tokens (RFC 9701 §5).
 */
export type TokenType = 'at+jwt' | 'JWT' | 'logout+jwt' | 'token-introspection+jwt';

/** A key of a tenant, ready to sign. */
export interface SigningKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As it stands in the JWKS: public members, `kid`, `use`, `alg`. */
  readonly publicJwk: JWK;
  /** It is published before this time and signs from then on. ms. */
  readonly activeFrom: number;
}

/** A new key pair, as it is stored: the private key as PKCS#8, to be encrypted. */
export async function generateSigningKey(
  algorithm: SigningAlgorithm,
): Promise<{ kid: string; publicJwk: JWK; privateKey: Buffer }> {
  const { publicKey, privateKey } = await newKeyPair(algorithm);
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    publicJwk: { ...jwk, kid, use: 'sig', alg: algorithm },
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
  };
}

/** A stored key, made ready to sign. */
export function readSigningKey(stored: {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: string;
  privateKey: Buffer;
  activeFrom: number;
}): SigningKey {
  const privateKey = createPrivateKey({ key: stored.privateKey, type: 'pkcs8', format: 'der' });
  return {
    kid: stored.kid,
    algorithm: stored.algorithm,
    privateKey,
    publicKey: createPublicKey(privateKey),
    publicJwk: JSON.parse(stored.publicJwk) as JWK,
    activeFrom: stored.activeFrom,
  };
}

/**
 * The newest key of an algorithm that may sign now. Where all of them lie ahead, since the clock was set back, the
 * first of them signs: the answers that wait for a signature have spent a token or a code already.
 */
export function signingKeyFor(
  keys: readonly SigningKey[],
  algorithm: SigningAlgorithm,
  now: number,
): SigningKey {
  const key = findSigningKey(keys, algorithm, now);
  if (key === null) throw new Error(`there is no ${algorithm} key`);
  return key;
}

/** The same, or null where there is no key of the algorithm. */
export function findSigningKey(
  keys: readonly SigningKey[],
  algorithm: SigningAlgorithm,
  now: number,
): SigningKey | null {
  const own = keys.filter((key) => key.algorithm === algorithm);
  return own.findLast(({ activeFrom }) => activeFrom <= now) ?? own[0] ?? null;
}

/** Without another core a thread beside the event loop only takes turns with it, which costs both time. */
const hasOneCore = availableParallelism() === 1;

/**
 * Signs claims as a compact JWS (RFC 7515 §7.1). RSA leaves the event loop where there is another core; ES256 and
 * EdDSA are so short that handing them over takes longer.
 */
export async function signToken(key: SigningKey, type: TokenType, claims: object): Promise<string> {
  const input = `${headerOf(key, type)}.${base64url(claims)}`;
  return `${input}.${(await signatureOf(key, Buffer.from(input))).toString('base64url')}`;
}

/** The key goes in as it is: with an option beside it, Node takes longer to tell what it got than to sign. */
async function signatureOf({ algorithm, privateKey }: SigningKey, input: Buffer): Promise<Buffer> {
  if (algorithm === 'ES256') return sideBySide(nodeSign('sha256', input, privateKey));
  if (algorithm === 'EdDSA') return nodeSign(null, input, privateKey);
  const key = algorithm === 'PS256' ? { ...pss, key: privateKey } : privateKey;
  return hasOneCore ? nodeSign('sha256', input, key) : signInThreadPool('sha256', input, key);
}

/** The salt is as long as the hash (RFC 7518 §3.5). */
const pss = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
} as const;

/** R or S of P-256, in bytes. */
const integerBytes = 32;

/** An ECDSA signature in DER (RFC 3279 §2.2.3) as JWS wants it: R and S side by side (RFC 7518 §3.4). */
export function sideBySide(der: Buffer): Buffer {
  const both = Buffer.alloc(2 * integerBytes);
  // After the header of the sequence, whose length fits into one byte, come two integers with theirs.
  let at = 2;
  for (const end of [integerBytes, 2 * integerBytes]) {
    const length = der.readUInt8(at + 1);
    const integer = der.subarray(at + 2, at + 2 + length);
    // Left of a high bit stands a zero, and zeros that lead are left out.
    const digits = length > integerBytes ? integer.subarray(1) : integer;
    digits.copy(both, end - digits.length);
    at += 2 + length;
  }
  return both;
}

const headers = new WeakMap<SigningKey, Partial<Record<TokenType, string>>>();

/** The header of a key's tokens: the same for all of a type. */
function headerOf(key: SigningKey, type: TokenType): string {
  const known = headers.get(key) ?? {};
  known[type] ??= base64url({ alg: key.algorithm, typ: type, kid: key.kid });
  headers.set(key, known);
  return known[type];
}

/** What a token must be to be accepted. */
export interface Expected {
  readonly type: TokenType;
  readonly issuer: string;
  readonly audience?: string;
  /** ms. null accepts an expired token: an old id_token is still a valid hint (RP-Initiated Logout §2). */
  readonly now: number | null;
}

/**
 * Verifies a token of ours: known key, that key's own algorithm, type, issuer, audience, times.
 *
 * @returns its claims, or null for anything that is not such a token
 */
export async function verifyToken(
  keys: readonly SigningKey[],
  token: string,
  expected: Expected,
): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      (header) => {
        const key = keys.find(({ kid, algorithm }) => kid === header.kid && algorithm === header.alg);
        if (key === undefined) throw new Error('unknown key');
        return key.publicKey;
      },
      {
        typ: expected.type,
        issuer: expected.issuer,
        algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA'],
        requiredClaims: ['sub', 'iat', 'exp'],
        // jose has no "ignore exp": at the beginning of time nothing has expired yet, and nbf is not ours.
        currentDate: new Date(expected.now ?? 0),
        ...(expected.audience === undefined ? {} : { audience: expected.audience }),
      },
    );
    return payload;
  } catch {
    return null;
  }
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
