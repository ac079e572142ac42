// A client secret that is signed anew for each call, as Apple takes it.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

const pem = /-----BEGIN PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END PRIVATE KEY-----/;

/**
 * Reads the key that signs client secrets: an EC key on P-256, PKCS#8 in PEM as Apple gives it. A field of one line takes
 * the ends of its lines away.
 *
 * @returns null for others
 */
export function readSecretKey(text: string): KeyObject | null {
  const [, base64] = pem.exec(text) ?? [];
  if (base64 === undefined) return null;
  try {
    const der = Buffer.from(base64, 'base64');
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

/**
 * Signs a client secret: an ES256 JWT (Apple, "Creating a client secret").
 *
 * @param claims `iss` is the team, `sub` the client_id, `aud` the provider; times are seconds
 */
export function signClientSecret(
  key: KeyObject,
  kid: string,
  claims: Readonly<Record<'iss' | 'sub' | 'aud', string> & Record<'iat' | 'exp', number>>,
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'ES256', kid })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
