import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerClient } from '../../src/operations/client.ts';
import { hosts, passwords, secrets } from '../support/fixtures.ts';
import type { Answer } from '../support/http.ts';
import { expectErrorPage, expectErrorRedirect, expectJsonError } from '../support/records/expectations.ts';
import { allRows } from '../support/records/rows.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  authorizationParameters,
  codeFor,
  field,
  pkce,
  refresh,
  token,
  tokensFor,
  type Visitor,
  visitor,
} from '../support/visitor.ts';

const profile = '/api/v1/members/profile/info-with-active-subscriptions';
const redirectUri = 'https://pub1.test/cb';
const email = 'u1@example.test';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ data: 'security' });
  for (const host of [hosts.a, hosts.b]) {
    const client = {
      clientId: 'each',
      name: 'Each its own',
      type: 'confidential',
      secret: `secret at ${host}`,
      redirectUris: ['https://each.test/cb'],
    } as const;
    await service.store.transaction((tx) =>
      registerClient(tx, service.tenants.byHost(host)?.id ?? '', client, 0),
    );
  }
});
afterAll(() => service.stop());

/** Uses something of tenant A at tenant B: nothing may change anywhere. */
const withoutEffect = async (use: () => Promise<Answer>): Promise<Answer> => {
  const before = await allRows(service, ['auditEvents']);
  const answer = await use();
  expect(await allRows(service, ['auditEvents'])).toEqual(before);
  return answer;
};

const signedIn = async (host: string) => {
  const browser = visitor(service, host);
  await codeFor(browser, 'pub1', redirectUri);
  return browser;
};

const silently = (browser: Visitor, more: Record<string, string> = {}) =>
  browser.authorize(
    authorizationParameters('pub1', redirectUri, pkce(), { prompt: 'none', state: 's', ...more }),
  );

const bearer = (host: string, path: string, accessToken: string) =>
  service.http(host, path, { headers: { authorization: `Bearer ${accessToken}` } });

describe('what tenant A gave is unknown at tenant B, and still works at A:', () => {
  it('X1: an authorization code', async () => {
    const code = await codeFor(visitor(service, hosts.a), 'conf1', 'https://app.test/cb');
    const body = {
      grant_type: 'authorization_code',
      client_id: 'conf1',
      client_secret: secrets.conf1,
      code: code.code,
      code_verifier: code.verifier,
    };
    expectJsonError(await withoutEffect(() => token(service, hosts.b, body)), 400, 'invalid_grant');
    expect((await token(service, hosts.a, body)).status).toBe(200);
  });

  it('X1: a refresh token, to refresh and to revoke', async () => {
    const { refresh_token: refreshToken = '' } = await tokensFor(service, hosts.a);
    const refused = await withoutEffect(() => refresh(service, hosts.b, refreshToken));
    expectJsonError(refused, 400, 'invalid_grant');
    const body = { token: refreshToken, client_id: 'pub1' };
    const revoked = await withoutEffect(() => service.http(hosts.b, '/api/oidc/token/revocation', { body }));
    expect({ status: revoked.status, text: revoked.text }).toEqual({ status: 200, text: '' });
    expect((await refresh(service, hosts.a, refreshToken)).status).toBe(200);
  });

  it('X1: a session cookie', async () => {
    const browser = await signedIn(hosts.a);
    const other = visitor(service, hosts.b);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const answer = await withoutEffect(() => silently(other));
    expectErrorRedirect(answer, {
      redirectUri,
      error: 'login_required',
      state: 's',
      issuer: 'https://b.test',
    });
    const account = await withoutEffect(() => other.send('/account'));
    expect(account.headers.location).toBe('/sign-in');
    expect((await browser.send('/account')).status).toBe(200);
  });

  it('X1: the flow of a sign-in page, with its browser cookie and a password of B', async () => {
    const browser = visitor(service, hosts.a);
    const page = await browser.authorize(authorizationParameters('pub1', redirectUri, pkce()));
    const other = visitor(service, hosts.b);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const body = { flow: field(page, 'flow'), email, password: passwords[hosts.b][email] };
    expectErrorPage(await withoutEffect(() => other.send('/sign-in', { body })));
    const anew = await withoutEffect(() => other.send(`/sign-in?flow=${field(page, 'flow')}`));
    const [payload = ''] = anew.headers.location?.replace('/sign-in?flow=', '').split('.') ?? [];
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ parameters: null });
    expectErrorPage(await withoutEffect(() => other.send(`/consent?flow=${field(page, 'flow')}`)));
    expect((await browser.signIn(page, email)).status).toBe(303);
  });

  it('X1: the CSRF token of the sign-out button', async () => {
    const browser = await signedIn(hosts.a);
    const confirm = field(await browser.send('/account'), 'confirm');
    const other = await signedIn(hosts.b);
    other.cookies.set('__Host-memberdoor-browser', browser.cookies.get('__Host-memberdoor-browser') ?? '');
    const asked = await withoutEffect(() => other.send('/api/oidc/session/end', { body: { confirm } }));
    expect(asked.text).toContain('<h1>Sign out?</h1>');
    expect((await other.send('/account')).status).toBe(200);
    await browser.send('/api/oidc/session/end', { body: { confirm } });
    expect((await browser.send('/account')).headers.location).toBe('/sign-in');
  });

  it('X1: an access token at UserInfo', async () => {
    const { access_token: accessToken } = await tokensFor(service, hosts.a);
    const answer = await withoutEffect(() => bearer(hosts.b, '/api/oidc/me', accessToken));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect((await bearer(hosts.a, '/api/oidc/me', accessToken)).status).toBe(200);
  });

  it('X1: an id_token as a hint, to sign in and to sign out', async () => {
    const { id_token: hint } = await tokensFor(service, hosts.a);
    const other = await signedIn(hosts.b);
    const answer = await withoutEffect(() => silently(other, { id_token_hint: hint }));
    const issuer = 'https://b.test';
    expectErrorRedirect(answer, { redirectUri, error: 'invalid_request', state: 's', issuer });
    const query = new URLSearchParams({
      id_token_hint: hint,
      post_logout_redirect_uri: 'https://app.test/out',
    });
    const asked = await withoutEffect(() => other.send(`/api/oidc/session/end?${query}`));
    expect({ status: asked.status, location: asked.headers.location }).toEqual({ status: 200 });
    expect((await other.send('/account')).status).toBe(200);
  });

  it('X1: a client_secret', async () => {
    const { code, verifier } = await codeFor(visitor(service, hosts.b), 'each', 'https://each.test/cb');
    const body = {
      grant_type: 'authorization_code',
      client_id: 'each',
      client_secret: 'secret at a.test',
      code,
      code_verifier: verifier,
    };
    expectJsonError(await withoutEffect(() => token(service, hosts.b, body)), 401, 'invalid_client');
    const own = { ...body, client_secret: 'secret at b.test' };
    expect((await token(service, hosts.b, own)).status).toBe(200);
  });

  it("X1: a member's password", async () => {
    const browser = visitor(service, hosts.b);
    const page = await browser.authorize(authorizationParameters('pub1', redirectUri, pkce()));
    const wrong = await browser.signIn(page, email, passwords[hosts.a][email]);
    expect(wrong.status).toBe(422);
    expect(browser.cookies.has('__Host-memberdoor-session')).toBe(false);
  });
});

describe('the member API', () => {
  it("decision 2: takes the tenant from the token's issuer, whichever host is asked", async () => {
    const atA = await tokensFor(service, hosts.a);
    const atB = await tokensFor(service, hosts.b);
    const ids = new Set<unknown>();
    for (const tokens of [atA, atB]) {
      const answers = await Promise.all(
        Object.values(hosts).map((host) => bearer(host, profile, tokens.access_token)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const found = new Set(answers.map((answer) => answer.json().id));
      expect(found.size).toBe(1);
      for (const id of found) ids.add(id);
    }
    expect(ids.size).toBe(2);
  });
});

describe('a browser', () => {
  it('X5: that is signed in at A is not signed in at B: cookies are of one host', async () => {
    const browser = visitor(service, hosts.a);
    const page = await browser.authorize(authorizationParameters('pub1', redirectUri, pkce()));
    const done = await browser.signIn(page, email);
    for (const line of [...(page.headers['set-cookie'] ?? []), ...(done.headers['set-cookie'] ?? [])]) {
      expect(line).toMatch(/^__Host-/);
      expect(line).not.toMatch(/domain=/i);
    }
    const elsewhere = await visitor(service, hosts.b).authorize(
      authorizationParameters('pub1', redirectUri, pkce()),
    );
    expect(elsewhere.text).toContain('<h1>Sign in</h1>');
  });
});

describe('the tenants', () => {
  it('X10: have each their own issuer, endpoints on their own domain, and keys', async () => {
    const kids: string[] = [];
    for (const host of Object.values(hosts)) {
      const document = await service.http(host, '/.well-known/openid-configuration');
      expect(document.json().issuer).toBe(`https://${host}`);
      const addresses = document.text.match(/https?:\/\/[^/"]+/g) ?? [];
      expect(new Set(addresses)).toEqual(new Set([`https://${host}`]));
      const { keys } = (await service.http(host, '/api/oidc/jwks')).json<{ keys: { kid: string }[] }>();
      kids.push(...keys.map(({ kid }) => kid));
    }
    expect(kids).toHaveLength(6);
    expect(new Set(kids).size).toBe(6);
  });
});
