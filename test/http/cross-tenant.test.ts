import { describe, expect, it } from 'vitest';
import { hosts, passwords } from '../support/fixtures.ts';
import { useService } from '../support/use-service.ts';
import { authorizationParameters, pkce, tokensFor, visitor } from '../support/visitor.ts';

const profile = '/api/v1/members/profile/info-with-active-subscriptions';
const redirectUri = 'https://pub1.test/cb';
const email = 'u1@example.test';

const service = useService({ data: 'security' });

const bearer = (host: string, path: string, accessToken: string) =>
  service.http(host, path, { headers: { authorization: `Bearer ${accessToken}` } });

// What one tenant gives out, at every route of the other: test/fuzz/tenants.test.ts has the table.

describe('what only A knows', () => {
  it("X1: a member's password at A does not work at B", async () => {
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
