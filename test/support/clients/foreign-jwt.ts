import { createPrivateKey, generateKeyPairSync, type KeyObject, sign as nodeSign } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { exportJWK } from 'jose/key/export';
import type { ForeignAlgorithm } from '../../../src/core/oidc/client/foreign-key.ts';

/** A key pair of a client. */
export interface ForeignPair {
  readonly algorithm: ForeignAlgorithm;
  readonly privateKey: KeyObject;
  /** As in the client's JWKS: its `kid` is its thumbprint. */
  readonly publicJwk: Readonly<Record<string, unknown>> & { readonly kid: string };
}

const pairOf = (algorithm: ForeignAlgorithm) => {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
};

/** A new key pair that signs by an algorithm. */
export async function foreignPair(algorithm: ForeignAlgorithm = 'ES256'): Promise<ForeignPair> {
  const { publicKey, privateKey } = pairOf(algorithm);
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { algorithm, privateKey, publicJwk: { ...jwk, kid, use: 'sig', alg: algorithm } };
}

/** One part of a compact JWS; a text goes in as it is. */
export const jwtPart = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signs whatever is given, right or wrong: a text stands for a header or for claims that are no JSON of ours. */
export function signForeign(
  { algorithm, privateKey }: ForeignPair,
  header: object | string,
  claims: unknown,
): string {
  const input = `${jwtPart(header)}.${jwtPart(claims)}`;
  return `${input}.${signatureOf(algorithm, privateKey, Buffer.from(input)).toString('base64url')}`;
}

function signatureOf(algorithm: ForeignAlgorithm, key: KeyObject, input: Buffer): Buffer {
  if (algorithm === 'EdDSA') return nodeSign(null, input, key);
  if (algorithm === 'ES256') return nodeSign('sha256', input, { key, dsaEncoding: 'ieee-p1363' });
  return algorithm === 'RS256'
    ? nodeSign('sha256', input, key)
    : nodeSign('sha256', input, { key, padding: 6, saltLength: 32 });
}

/** The private key of a pair, as a library of a client wants it. */
export const privateJwkOf = ({ privateKey, publicJwk, algorithm }: ForeignPair) => ({
  ...createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({ format: 'jwk' }),
  kid: publicJwk.kid,
  alg: algorithm,
});
