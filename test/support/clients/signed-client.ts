import { hosts } from '../fixtures.ts';
import type { Answer } from '../http.ts';
import { run } from '../operators/desk.ts';
import type { TestService } from '../service.ts';
import { token } from '../visitor.ts';
import { type ForeignPair, signForeign } from './foreign-jwt.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export const jwksOf = (...pairs: readonly ForeignPair[]): string =>
  JSON.stringify({ keys: pairs.map(({ publicJwk }) => publicJwk) });

/** Registers a client that signs assertions by these keys. */
export async function registerSigned(
  service: TestService,
  host: string,
  clientId: string,
  pairs: readonly ForeignPair[],
  more: object = {},
): Promise<void> {
  await run(service, 'clients.create', {
    tenant: host,
    clientId,
    name: 'Signed',
    type: 'confidential',
    authenticationMethod: 'private_key_jwt',
    redirectUris: ['https://app.test/cb'],
    ...(pairs.length === 0 ? {} : { jwks: jwksOf(...pairs) }),
    ...more,
  });
}

let made = 0;

/** Claims that are taken, with others in place of some; undefined takes one away. */
export function assertionClaims(service: TestService, changes: object = {}, clientId = 'signed') {
  const now = Math.floor(service.clock.now() / 1_000);
  made += 1;
  const of = { iss: clientId, sub: clientId, aud: `https://${hosts.a}` };
  return { ...of, jti: `assertion ${made}`, iat: now, exp: now + 60, ...changes };
}

/** An assertion that is taken, unless what is changed of it is not. */
export function assertionOf(
  service: TestService,
  pair: ForeignPair,
  changes: object = {},
  header: object = {},
): string {
  const { kid } = pair.publicJwk;
  return signForeign(pair, { alg: pair.algorithm, kid, ...header }, assertionClaims(service, changes));
}

/** The parameters that say who the client is. */
export const asSigned = (assertion: string) => ({
  client_assertion_type: assertionType,
  client_assertion: assertion,
});

/** Asks for tokens with a refresh token that there is not: `invalid_grant` means that the client is who it says it is. */
export const authenticate = (
  service: TestService,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  host: string = hosts.a,
): Promise<Answer> =>
  token(service, host, { grant_type: 'refresh_token', refresh_token: 'none', ...fields }, headers);
