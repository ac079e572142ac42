import { beforeAll, describe, expect, it } from 'vitest';
import { expectErrorRedirect } from '../../../support/expected/expectations.ts';
import { hosts, secrets } from '../../../support/fixtures.ts';
import { run } from '../../../support/operators/desk.ts';
import { apps, claimsOf, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const { conf1, conf2 } = apps;
const third = { clientId: 'third', redirectUri: 'https://third.test/cb', secret: secrets.third };
const one = 'urn:memberdoor:1';
const two = 'urn:memberdoor:2';

const claims = (value: object) => ({ claims: JSON.stringify(value) });

beforeAll(async () => {
  for (const clientId of [conf2.clientId, third.clientId]) {
    await run(service, 'clients.change', { tenant: hosts.a, clientId, claimsParameter: true });
  }
});

const userinfo = async ({ access_token: accessToken }: Tokens) =>
  (
    await service.http(hosts.a, '/api/oidc/me', { headers: { authorization: `Bearer ${accessToken}` } })
  ).json();

const signedIn = async (email = 'u1@example.test') => {
  const browser = visitor(service, hosts.a);
  const tokens = await tokensOf(service, hosts.a, conf2, { browser, email });
  return { browser, sub: String(claimsOf(tokens.id_token).sub) };
};

/** What conf2's browser gets for a request: a page, or an answer on its way to the client. */
const ask = (browser: ReturnType<typeof visitor>, more: Record<string, string>, app = conf2) =>
  browser.authorize(authorizationParameters(app.clientId, app.redirectUri, pkce(), { state: 's', ...more }));

const expectRefusal = (answer: Awaited<ReturnType<typeof ask>>, error: string) =>
  expectErrorRedirect(answer, { redirectUri: conf2.redirectUri, error, state: 's' });

describe('claims by name', () => {
  it('I55: UserInfo answers those of userinfo, at the exchange and after each refresh', async () => {
    const more = claims({ userinfo: { name: { essential: true }, email: null, shoe_size: null } });
    const first = await tokensOf(service, hosts.a, conf2, { more });
    const second = (await refreshAs(service, hosts.a, conf2, first.refresh_token)).json<Tokens>();
    for (const tokens of [first, second]) {
      expect(Object.keys(await userinfo(tokens)).sort()).toEqual(['email', 'name', 'sub']);
      expect(claimsOf(tokens.access_token).claims).toEqual(['email', 'name']);
      expect(claimsOf(tokens.id_token)).not.toHaveProperty('name');
    }
  });

  it('I55: the id_token has those of id_token, at the exchange and at each refresh, and UserInfo has not', async () => {
    const more = claims({
      id_token: { email: { essential: true }, email_verified: null, phone_number: null },
    });
    const first = await tokensOf(service, hosts.a, conf2, { more });
    const second = (await refreshAs(service, hosts.a, conf2, first.refresh_token)).json<Tokens>();
    for (const tokens of [first, second]) {
      expect(claimsOf(tokens.id_token)).toMatchObject({ email: 'u1@example.test', email_verified: true });
      expect(Object.keys(await userinfo(tokens))).toEqual(['sub']);
      expect(claimsOf(tokens.access_token)).not.toHaveProperty('claims');
    }
  });

  it('I55: discovery says so where a client may, and only there', async () => {
    const at = async (host: string) => (await service.http(host, '/.well-known/openid-configuration')).json();
    const [here, there] = [await at(hosts.a), await at(hosts.b)];
    expect(here).toMatchObject({ claims_parameter_supported: true, acr_values_supported: [two, one] });
    expect(here.claims_supported).toEqual(expect.arrayContaining(['acr', 'amr']));
    expect(there.claims_parameter_supported).toBe(false);
    expect(there).not.toHaveProperty('acr_values_supported');
    expect(there.claims_supported).not.toContain('acr');
  });

  it('CL3: a third party gets none beyond the scopes that its member allowed', async () => {
    const asked = { name: null, email: { essential: true }, phone_number: null };
    const more = { scope: 'openid email', ...claims({ userinfo: asked, id_token: { name: null } }) };
    const browser = visitor(service, hosts.a);
    const proof = pkce();
    const request = authorizationParameters(third.clientId, third.redirectUri, proof, more);
    const moved = await browser.signIn(await browser.authorize(request), 'u1@example.test');
    const question = await browser.send(String(moved.headers.location));
    const answer = await browser.send('/consent', {
      body: { flow: field(question, 'flow'), action: 'allow' },
    });
    const exchanged = await token(service, hosts.a, {
      grant_type: 'authorization_code',
      client_id: third.clientId,
      client_secret: third.secret,
      code: String(answerOf(answer).get('code')),
      code_verifier: proof.verifier,
    });
    const tokens = exchanged.json<Tokens>();
    expect(Object.keys(await userinfo(tokens)).sort()).toEqual(['email', 'email_verified', 'sub']);
    expect(claimsOf(tokens.id_token)).not.toHaveProperty('name');
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '{"userinfo":["name"]}'],
    ['a member twice', '{"userinfo":{},"userinfo":{"name":null}}'],
    ['more than 2 KB', JSON.stringify({ userinfo: { ['a'.repeat(2_100)]: null } })],
  ])('CL1: %s is invalid_request, sent back to the client', async (_what, text) => {
    expectRefusal(await ask(visitor(service, hosts.a), { claims: text }), 'invalid_request');
  });

  it.each([{ claims: '{' }, { claims: '{"userinfo":{"name":null}}' }, { acr_values: two }])(
    'CL4, I19: a client that may not ask has %j ignored: nothing of its answers changes',
    async (more) => {
      const tokens = await tokensOf(service, hosts.a, conf1, { more });
      const plain = await tokensOf(service, hosts.a, conf1);
      expect(Object.keys(claimsOf(tokens.id_token))).toEqual(Object.keys(claimsOf(plain.id_token)));
      expect(Object.keys(claimsOf(tokens.access_token))).toEqual(Object.keys(claimsOf(plain.access_token)));
      expect(Object.keys(await userinfo(tokens))).toEqual(['sub']);
    },
  );

  it('CL4: it may send them twice, too long, and they do not travel through its pages', async () => {
    const long = 'x'.repeat(3_000);
    const parameters = new URLSearchParams(
      authorizationParameters(conf1.clientId, conf1.redirectUri, pkce(), { claims: long }),
    );
    const pageOf = async (query: string) => {
      const { location = '' } = (await service.http(hosts.a, `/api/oidc/auth?${query}`)).headers;
      expect(location).toMatch(/^\/sign-in\?flow=/);
      return location.length;
    };
    const once = await pageOf(`${parameters}`);
    expect(await pageOf(`${parameters}&claims=twice`)).toBeLessThan(once + 100);
    parameters.delete('claims');
    expect(once).toBeLessThan((await pageOf(`${parameters}`)) + 100);
  });
});

describe('the member whom sub names', () => {
  it('I55: is the one who gets the code, with a session and without a page', async () => {
    const { browser, sub } = await signedIn();
    const answer = await ask(browser, { prompt: 'none', ...claims({ id_token: { sub: { value: sub } } }) });
    expect(answerOf(answer).has('code')).toBe(true);
  });

  it('I55: another one gets login_required with prompt=none, and else the sign-in page, then the same', async () => {
    const { sub } = await signedIn('u2@example.test');
    const { browser } = await signedIn();
    const asked = claims({ id_token: { sub: { value: sub } } });
    expectRefusal(await ask(browser, { prompt: 'none', ...asked }), 'login_required');
    const page = await ask(browser, asked);
    expect(page.text).toContain('<h1>Sign in</h1>');
    expectRefusal(await browser.signIn(page, 'u1@example.test'), 'login_required');
    const again = await browser.signIn(await ask(browser, asked), 'u2@example.test');
    expect(answerOf(again).has('code')).toBe(true);
  });
});

describe('acr', () => {
  it.each([
    ['acr_values', { acr_values: `${two} ${one}` }],
    ['acr_values that cannot be met', { acr_values: `${two} phr` }],
    ['a voluntary claim', claims({ id_token: { acr: { values: [two] } } })],
    [
      'an essential claim that is met',
      claims({ id_token: { acr: { essential: true, values: [two, one] } } }),
    ],
    ['an essential claim of any value', claims({ id_token: { acr: { essential: true } } })],
  ])('I67: %s gets the acr and amr that the session really has', async (_what, more) => {
    const tokens = await tokensOf(service, hosts.a, conf2, { more });
    expect(claimsOf(tokens.id_token)).toMatchObject({ acr: one, amr: ['pwd'] });
  });

  it('I67, I18: without being asked, an id_token says nothing of it', async () => {
    const { id_token: idToken } = await tokensOf(service, hosts.a, conf2);
    expect(claimsOf(idToken)).not.toHaveProperty('acr');
    expect(claimsOf(idToken)).not.toHaveProperty('amr');
  });

  const essential = claims({ id_token: { acr: { essential: true, value: two } } });

  it('CL5, I67: an essential one that cannot be met is an error, before and after the sign-in', async () => {
    const { browser } = await signedIn();
    const set = (changes: object) => run(service, 'tenants.change', { tenant: hosts.a, ...changes });
    const gold = claims({ id_token: { acr: { essential: true, value: 'gold' } } });
    await set({ secondFactor: 'off', passkeys: 'off' });
    for (const one of [visitor(service, hosts.a), browser]) {
      expectRefusal(await ask(one, essential), 'unmet_authentication_requirements');
      expectRefusal(await ask(one, gold), 'unmet_authentication_requirements');
    }
    await set({ secondFactor: 'optional', passkeys: 'on' });
    expectRefusal(await ask(browser, gold), 'unmet_authentication_requirements');
  });

  it('I67: with prompt=none it is interaction_required, and login_required where no member is signed in', async () => {
    const { browser } = await signedIn();
    expectRefusal(await ask(browser, { prompt: 'none', ...essential }), 'interaction_required');
    expectRefusal(await ask(visitor(service, hosts.a), { prompt: 'none', ...essential }), 'login_required');
  });

  it('I67, I16: max_age and an essential auth_time get auth_time', async () => {
    const more = { max_age: '600', ...claims({ id_token: { auth_time: { essential: true } } }) };
    const { id_token: idToken } = await tokensOf(service, hosts.a, conf2, { more });
    expect(claimsOf(idToken).auth_time).toEqual(expect.any(Number));
  });
});
