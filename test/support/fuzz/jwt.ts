import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { exportJWK } from 'jose';
import type { SigningKey } from '../../../src/secrets/signing.ts';

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A thief's own key of the right kind. */
const thief = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** What an attacker who has a genuine token, and the public keys, can make of it. */
export interface Genuine {
  readonly token: string;
  readonly key: SigningKey;
}

export const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

/**
 * Forgeries by name: each makes a token that the tenant never signed. `more` goes into the header, `claims`
 * are what it says.
 */
export const forgeries: Readonly<
  Record<string, (genuine: Genuine, claims: object, more: object) => Promise<string>>
> = {
  'alg none': async ({ token }, claims, more) =>
    `${part({ ...headerOf(token), alg: 'none', ...more })}.${part(claims)}.`,
  'alg nOnE with the old signature': async ({ token }, claims, more) =>
    `${part({ ...headerOf(token), alg: 'nOnE', ...more })}.${part(claims)}.${token.split('.')[2]}`,
  'no signature': async ({ token }, claims, more) =>
    `${part({ ...headerOf(token), ...more })}.${part(claims)}.`,
  'other claims under the old signature': async ({ token }, claims, more) =>
    `${part({ ...headerOf(token), ...more })}.${part({ ...claims, forged: 1 })}.${token.split('.')[2]}`,
  'HS256 with the PEM of the public key': async ({ token, key }, claims, more) =>
    hmacSigned(token, claims, more, key.publicKey.export({ type: 'spki', format: 'pem' })),
  'HS256 with the DER of the public key': async ({ token, key }, claims, more) =>
    hmacSigned(token, claims, more, key.publicKey.export({ type: 'spki', format: 'der' })),
  'HS256 with the JWK of the public key': async ({ token, key }, claims, more) =>
    hmacSigned(token, claims, more, JSON.stringify(key.publicJwk)),
  'HS256 with an empty key': async ({ token }, claims, more) => hmacSigned(token, claims, more, ''),
  'ES256 with a key in the header': async ({ token }, claims, more) => {
    const jwk = await exportJWK(thief.publicKey);
    return thiefSigned(
      { ...headerOf(token), jwk, jku: 'https://evil.test/keys', x5u: 'https://evil.test/', ...more },
      claims,
    );
  },
  'ES256 with another key': async ({ token }, claims, more) =>
    thiefSigned({ ...headerOf(token), ...more }, claims),
  'ES256 with a signature of zeros': async ({ token }, claims, more) =>
    `${part({ ...headerOf(token), ...more })}.${part(claims)}.${Buffer.alloc(64).toString('base64url')}`,
};

function hmacSigned(token: string, claims: object, more: object, secret: string | Buffer): string {
  const input = `${part({ ...headerOf(token), alg: 'HS256', ...more })}.${part(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

function thiefSigned(header: object, claims: object): string {
  const input = `${part(header)}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key: thief.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** A genuine signature of the tenant's key over any header and any payload, JSON or not. */
export function signedAnyway(key: SigningKey, header: object, payload: string): string {
  const input = `${part(header)}.${part(payload)}`;
  const options = { key: key.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), options).toString('base64url')}`;
}
