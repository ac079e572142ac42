import { type DpopKey, dpopHeader, tokenProof } from '../clients/dpop.ts';
import type { ForeignPair } from '../clients/foreign-jwt.ts';
import { signForeign } from '../clients/foreign-jwt.ts';
import { asSigned, assertionClaims, jwksOf } from '../clients/signed-client.ts';
import { hosts } from '../fixtures.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';
import { authorizationParameters, type Pkce, pkce, token } from '../visitor.ts';
import { pushUrl } from './push.ts';

export const fapiRedirectUri = 'https://fapi.test/cb';

/** What a client that is held to FAPI 2.0 is registered with. */
export const fapiSettings = (...pairs: readonly ForeignPair[]) =>
  ({
    clientId: 'fapi',
    name: 'FAPI',
    type: 'confidential',
    authenticationMethod: 'private_key_jwt',
    jwks: jwksOf(...pairs),
    signingAlgorithms: ['PS256', 'ES256', 'EdDSA'],
    redirectUris: [fapiRedirectUri],
    idTokenAlgorithm: 'PS256',
    profile: 'fapi2',
    pushedRequests: 'required',
    dpop: 'required',
  }) as const;

/** An assertion of the client, unless what is changed of it is not. */
export function fapiAssertion(service: TestService, pair: ForeignPair, changes: object = {}): string {
  const header = { alg: pair.algorithm, kid: pair.publicJwk.kid };
  return signForeign(pair, header, assertionClaims(service, changes, 'fapi'));
}

/** Pushes a request as the client. */
export function fapiPush(
  service: TestService,
  pair: ForeignPair,
  more: Record<string, string> = {},
  { proof = pkce(), assertion = fapiAssertion(service, pair) } = {},
): Promise<Answer> {
  const parameters = authorizationParameters('fapi', fapiRedirectUri, proof);
  return service.http(hosts.a, pushUrl, { body: { ...parameters, ...asSigned(assertion), ...more } });
}

/** Exchanges a code as the client, with a proof of a key or without one. */
export function fapiExchange(
  service: TestService,
  pair: ForeignPair,
  { code, verifier }: Pick<Pkce, 'verifier'> & { readonly code: string },
  key: DpopKey | null,
): Promise<Answer> {
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
  const proof = key === null ? null : tokenProof(service, hosts.a, key);
  return token(service, hosts.a, { ...fields, ...asSigned(fapiAssertion(service, pair)) }, dpopHeader(proof));
}
