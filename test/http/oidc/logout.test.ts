import { describe, expect, it } from 'vitest';
import { registerClient } from '../../../src/operations/client/client.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer, Ask } from '../../support/http.ts';
import { apps, expectBadToken, hasSession, profile, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { field, type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const sessionCookie = '__Host-memberdoor-session';
const out = 'https://app.test/out';
const out2 = 'https://app.test/out2';
const unregistered = 'an address it has not registered';

/** A browser in which u1 is signed in to conf1, with the tokens of that sign-in. */
const signedIn = async (more: Record<string, string> = {}) => {
  const browser = visitor(service, hosts.a);
  return { browser, tokens: await tokensOf(service, hosts.a, apps.conf1, { browser, more }) };
};

const end = (browser: Visitor, parameters: Record<string, string> | URLSearchParams = {}, ask: Ask = {}) =>
  browser.send(`/api/oidc/session/end?${new URLSearchParams(parameters)}`, ask);

const expectPage = (answer: Answer, title: string) => {
  expect(answer.status).toBe(200);
  expect(answer.headers.location).toBeUndefined();
  expect(answer.text).toContain(`<title>${title} – Tenant A</title>`);
};

describe('a logout that names its client', () => {
  it("L1, I43: client_id alone ends the session, then 303 to the client's address; the old cookie is dead", async () => {
    const { browser } = await signedIn();
    const old = browser.cookies.get(sessionCookie);
    const answer = await end(browser, { client_id: 'conf1' });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(out);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(browser.cookies.has(sessionCookie)).toBe(false);
    browser.cookies.set(sessionCookie, String(old));
    expect(await hasSession(browser)).toBe(false);
    expect((await browser.send('/account')).headers.location).toBe('/sign-in');
  });

  it('I43: it is 303 to the same address without a session', async () => {
    const answer = await end(visitor(service, hosts.a), { client_id: 'conf1' });
    expect([answer.status, answer.headers.location]).toEqual([303, out]);
  });

  it.each(['GET', 'POST'])(
    'I39: %s with a valid hint and a registered address ends the session and goes there',
    async (method) => {
      for (const [state, location] of [
        [{}, out2],
        [{ state: 'a b&c=d' }, `${out2}?state=a%20b%26c%3Dd`],
      ] as const) {
        const { browser, tokens } = await signedIn();
        const parameters = { id_token_hint: tokens.id_token, post_logout_redirect_uri: out2, ...state };
        const answer =
          method === 'GET'
            ? await end(browser, parameters)
            : await browser.send('/api/oidc/session/end', { body: parameters });
        expect([answer.status, answer.headers.location]).toEqual([303, location]);
        expect(await hasSession(browser)).toBe(false);
      }
    },
  );

  it('I40: an expired id_token is still a valid hint', async () => {
    const { browser, tokens } = await signedIn();
    service.clock.advance(10 * 24 * 3_600_000);
    const answer = await end(browser, { id_token_hint: tokens.id_token, post_logout_redirect_uri: out });
    expect([answer.status, answer.headers.location]).toEqual([303, out]);
  });

  it('I42: a hint alone ends the session on our page, and never redirects (decision 36)', async () => {
    const { browser, tokens } = await signedIn();
    expectPage(await end(browser, { id_token_hint: tokens.id_token, state: 'x' }), 'You are signed out');
    expect(await hasSession(browser)).toBe(false);
  });

  it("I39: a hint with its client's client_id goes to that client's first address (decision 36)", async () => {
    const { browser, tokens } = await signedIn();
    const answer = await end(browser, { id_token_hint: tokens.id_token, client_id: 'conf1' });
    expect([answer.status, answer.headers.location]).toEqual([303, out]);
    expect(await hasSession(browser)).toBe(false);
  });

  it('I42: a client without an address ends on a page that says so', async () => {
    const { browser } = await signedIn();
    expectPage(await end(browser, { client_id: 'pub1' }), 'You are signed out');
    expect(await hasSession(browser)).toBe(false);
  });
});

describe('an address that is not registered', () => {
  it.each([
    'https://evil.test',
    'https://app.test/out?x=1',
    'https://app.test/out/',
    'https://app.test@evil.test/out',
    '//evil.test',
    'javascript:alert(1)',
  ])('L3, I41: %s is never followed; our page asks first, and says why (decision 36)', async (uri) => {
    for (const byHint of [true, false]) {
      const { browser, tokens } = await signedIn();
      const named = byHint ? { id_token_hint: tokens.id_token } : { client_id: 'conf1' };
      const sent = { ...named, post_logout_redirect_uri: uri, state: 'x' };
      const question = await end(browser, sent);
      expectPage(question, 'Sign out?');
      expect(question.text).toContain(unregistered);
      expect(question.text).not.toContain('evil.test');
      expect(await hasSession(browser)).toBe(true);
      const body = { confirm: field(question, 'confirm') };
      expectPage(await browser.send('/api/oidc/session/end', { body }), 'You are signed out');
      expect(await hasSession(browser)).toBe(false);
      const again = await end(browser, sent);
      expectPage(again, 'You are signed out');
      expect(again.text).toContain(unregistered);
    }
  });

  it('I41, L3: the address of another client is never followed', async () => {
    const { browser } = await signedIn();
    const foreign = { client_id: 'conf2', post_logout_redirect_uri: out };
    expectPage(await end(browser, foreign), 'Sign out?');
    expect(await hasSession(browser)).toBe(true);
  });
});

describe('a logout that names no client', () => {
  it('L2, I42: without parameters the member is asked first, and the button ends the session', async () => {
    const { browser } = await signedIn();
    const question = await end(browser);
    expectPage(question, 'Sign out?');
    expect(await hasSession(browser)).toBe(true);
    const body = { confirm: field(question, 'confirm') };
    expectPage(await browser.send('/api/oidc/session/end', { body }), 'You are signed out');
    expect(await hasSession(browser)).toBe(false);
  });

  it('I42: only state is like no parameters, and goes nowhere', async () => {
    const { browser } = await signedIn();
    expectPage(await end(browser, { state: 'x' }), 'Sign out?');
  });

  it('L2: without a session the page says at once that you are signed out', async () => {
    expectPage(await end(visitor(service, hosts.a)), 'You are signed out');
  });

  it('decision 36: the button counts only from our own page, in the same browser, by POST', async () => {
    const { browser } = await signedIn();
    const { browser: other } = await signedIn();
    const confirm = field(await end(browser), 'confirm');
    const foreign = field(await end(other), 'confirm');
    const post = (value: string, headers: Record<string, string> = {}) =>
      browser.send('/api/oidc/session/end', { body: { confirm: value }, headers });
    const attempts = [
      () => post(foreign),
      () => post('sign-out'),
      () => post(`${confirm}x`),
      () => post(confirm, { origin: 'https://evil.test' }),
      () => post(confirm, { 'sec-fetch-site': 'cross-site' }),
      () => end(browser, { confirm }),
    ];
    for (const attempt of attempts) {
      await attempt();
      expect(await hasSession(browser)).toBe(true);
    }
    await post(confirm);
    expect(await hasSession(browser)).toBe(false);
  });

  it.each([
    ['unknown', { client_id: 'nobody' }],
    ["another tenant's", { client_id: 'only-at-b' }],
    ['named __proto__', { client_id: '__proto__' }],
    ['named constructor', { client_id: 'constructor' }],
    ['empty', { client_id: '' }],
  ])(
    'L4: a client_id that is %s leads nowhere, and nothing is signed out unasked',
    async (_kind, parameters) => {
      const tenantId = String(service.tenants.byHost(hosts.b)?.id);
      const onlyAtB = {
        clientId: 'only-at-b',
        name: 'Only at B',
        type: 'public',
        redirectUris: [],
        postLogoutRedirectUris: ['https://only-at-b.test/out'],
      } as const;
      if (parameters.client_id === 'only-at-b') {
        await service.store.transaction((tx) => registerClient(tx, tenantId, onlyAtB, service.clock.now()));
      }
      const { browser } = await signedIn();
      expectPage(await end(browser, { ...parameters, post_logout_redirect_uri: out }), 'Sign out?');
      expect(await hasSession(browser)).toBe(true);
      expectPage(
        await end(visitor(service, hosts.a), { ...parameters, post_logout_redirect_uri: out }),
        'You are signed out',
      );
    },
  );

  it('L4: a repeated client_id leads nowhere', async () => {
    const { browser } = await signedIn();
    const twice = new URLSearchParams([
      ['client_id', 'conf1'],
      ['client_id', 'conf2'],
    ]);
    const answer = await end(browser, twice);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers.location).toBeUndefined();
    expect(await hasSession(browser)).toBe(true);
  });
});

describe('only a navigation signs out', () => {
  it.each(['image', 'iframe', 'empty', 'script'])(
    'decision 36: a request for Sec-Fetch-Dest %s ends nothing',
    async (destination) => {
      const { browser } = await signedIn();
      const answer = await end(
        browser,
        { client_id: 'conf1' },
        { headers: { 'sec-fetch-dest': destination } },
      );
      expect(answer.status).toBe(403);
      expect(answer.headers.location).toBeUndefined();
      expect(await hasSession(browser)).toBe(true);
    },
  );

  it('decision 36: Sec-Fetch-Dest document ends the session, from whichever site the member comes', async () => {
    const { browser } = await signedIn();
    const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' };
    expect((await end(browser, { client_id: 'conf1' }, { headers })).headers.location).toBe(out);
    expect(await hasSession(browser)).toBe(false);
  });

  it('decision 36: HEAD ends nothing', async () => {
    const { browser } = await signedIn();
    await end(browser, { client_id: 'conf1' }, { method: 'HEAD' });
    expect(await hasSession(browser)).toBe(true);
  });
});

describe('what ends with the session', () => {
  it('I44, L9: tokens without offline_access stop working, those with it go on', async () => {
    const browser = visitor(service, hosts.a);
    const bound = await tokensOf(service, hosts.a, apps.conf1, { browser, more: { scope: 'openid' } });
    const offline = await tokensOf(service, hosts.a, apps.conf1, { browser });
    expect((await profile(service, hosts.a, bound.access_token)).status).toBe(200);
    await end(browser, { client_id: 'conf1' });
    expectBadToken(await profile(service, hosts.a, bound.access_token));
    expect((await profile(service, hosts.a, offline.access_token)).status).toBe(200);
    expect((await refreshAs(service, hosts.a, apps.conf1, offline.refresh_token)).status).toBe(200);
  });

  it("L9: another browser's session and its tokens go on", async () => {
    const { browser: here } = await signedIn();
    const { browser: there, tokens } = await signedIn({ scope: 'openid' });
    await end(here, { client_id: 'conf1' });
    expect(await hasSession(there)).toBe(true);
    expect((await profile(service, hosts.a, tokens.access_token)).status).toBe(200);
  });
});
