import { expect } from 'vitest';
import { signToken } from '../../src/secrets/signing.ts';
import { hosts, secrets } from './fixtures.ts';
import type { Answer } from './http.ts';
import type { TestService } from './service.ts';
import {
  answerOf,
  authorizationParameters,
  codeFor,
  pkce,
  type Tokens,
  token,
  type Visitor,
  visitor,
} from './visitor.ts';

/** A registered client, as far as a request for tokens must know it. */
export interface App {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly secret?: string;
}

/** The clients of the fixtures and of the development data that the tests below sign in with. */
export const apps = {
  pub1: { clientId: 'pub1', redirectUri: 'https://pub1.test/cb' },
  pub2: { clientId: 'pub2', redirectUri: 'https://pub2.test/cb' },
  conf1: { clientId: 'conf1', redirectUri: 'https://app.test/cb', secret: secrets.conf1 },
  conf2: { clientId: 'conf2', redirectUri: 'https://app2.test/cb', secret: secrets.conf2 },
  spa: { clientId: 'spa', redirectUri: 'http://localhost:9879/callback' },
} as const satisfies Record<string, App>;

export interface SignInOptions {
  readonly email?: string;
  /** Further parameters of the authorization request, or other values for the usual ones. */
  readonly more?: Record<string, string>;
  /** The browser to use; one without a session unless given. */
  readonly browser?: Visitor;
}

/** What a client sends in every request to say which it is. */
export function credentialsOf({ clientId, secret }: App): Record<string, string> {
  return { client_id: clientId, ...(secret === undefined ? {} : { client_secret: secret }) };
}

/** A whole sign-in: browser, page, code, exchange. */
export async function tokensOf(
  service: TestService,
  host: string,
  app: App,
  { email = 'u1@example.test', more = {}, browser = visitor(service, host) }: SignInOptions = {},
): Promise<Tokens> {
  const { code, verifier } = await codeFor(browser, app.clientId, app.redirectUri, more, email);
  const answer = await token(service, host, {
    grant_type: 'authorization_code',
    ...credentialsOf(app),
    code,
    code_verifier: verifier,
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Tokens>();
}

/** Refreshes as this client. */
export function refreshAs(
  service: TestService,
  host: string,
  app: App,
  refreshToken: string | undefined,
  more: Record<string, string> = {},
): Promise<Answer> {
  return token(service, host, {
    grant_type: 'refresh_token',
    ...credentialsOf(app),
    refresh_token: String(refreshToken),
    ...more,
  });
}

/** POST /api/oidc/token/revocation. */
export function revoke(
  service: TestService,
  host: string,
  body: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.http(host, '/api/oidc/token/revocation', { body, headers });
}

export const profilePath = '/api/v1/members/profile/info-with-active-subscriptions';

/** GET the member profile with this bearer token. */
export function profile(service: TestService, host: string, accessToken: string): Promise<Answer> {
  return service.http(host, profilePath, { headers: { authorization: `Bearer ${accessToken}` } });
}

/** Holds an answer to an OAuth error: status, code, JSON, never stored (RFC 6749 §5.2; decision 16). */
export function expectError(answer: Answer, status: number, error: string): void {
  expect({ status: answer.status, error: answer.json().error }, answer.text).toEqual({ status, error });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store');
}

/** Holds a bearer endpoint's answer to a token that does not work (RFC 6750 §3.1). */
export function expectBadToken(answer: Answer): void {
  expectError(answer, 401, 'invalid_token');
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
}

/** The claims of a JWT, unverified. */
export function claimsOf(jwt: string): Record<string, unknown> {
  return partOf(jwt, 1);
}

/** The header of a JWT. */
export function headerOf(jwt: string): Record<string, unknown> {
  return partOf(jwt, 0);
}

function partOf(jwt: string, index: number): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString());
}

/** Whether prompt=none still gives a code: the client's own way to ask for the session. */
export async function hasSession(browser: Visitor): Promise<boolean> {
  const { clientId, redirectUri } = apps.conf1;
  const more = { prompt: 'none' };
  const answer = answerOf(
    await browser.authorize(authorizationParameters(clientId, redirectUri, pkce(), more)),
  );
  if (!answer.has('code')) expect(answer.get('error')).toBe('login_required');
  return answer.has('code');
}

/** Hints of a logout at tenant A that prove nothing, and what is wrong with each. */
export async function badHints(service: TestService): Promise<readonly (readonly [string, string])[]> {
  const tokens = await tokensOf(service, hosts.a, apps.conf1);
  const { id_token: ofB } = await tokensOf(service, hosts.b, apps.conf1);
  const keyOf = (host: string) => {
    const key = service.tenants.byHost(host)?.keys.find(({ algorithm }) => algorithm === 'RS256');
    if (key === undefined) throw new Error('no key');
    return key;
  };
  const claims = claimsOf(tokens.id_token);
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  return [
    ['of another issuer', ofB],
    ['with alg none', `${none}.${tokens.id_token.split('.')[1]}.`],
    ['with another key', await signToken({ ...keyOf(hosts.b), kid: keyOf(hosts.a).kid }, 'JWT', claims)],
    ['that is an access token', tokens.access_token],
    ['that is garbage', 'x.y.z'],
  ];
}
