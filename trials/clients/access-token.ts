// Access tokens for the libraries that check them.
import { codeFor, token } from '../../test/support/visitor.ts';
import { type Door, email, redirectUri } from './case.ts';

/** One of each algorithm, of clients that differ in it alone. */
export async function accessTokenOf(door: Door, accessTokenAlgorithm: 'ES256' | 'RS256'): Promise<string> {
  const registration = { type: 'public', redirectUris: [redirectUri], accessTokenAlgorithm } as const;
  const { clientId } = await door.register(registration);
  const { code, verifier } = await codeFor(door.visitor(), clientId, redirectUri, {}, email);
  const answer = await token(door.service, new URL(door.issuer).host, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
  });
  return answer.json<{ access_token: string }>().access_token;
}

/** The same token with another signature. */
export function forged(jwt: string): string {
  const [header, claims, signature = ''] = jwt.split('.');
  return [header, claims, signature.split('').reverse().join('')].join('.');
}
