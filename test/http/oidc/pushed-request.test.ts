import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  expectErrorPage,
  expectErrorRedirect,
  expectJsonError,
} from '../../support/expected/expectations.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import { allRows } from '../../support/records/rows.ts';
import { mayPush, pushAs, pushed, pushUrl } from '../../support/requests/push.ts';
import { apps, credentialsOf } from '../../support/tokens.ts';
import { useFreshService, useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const { conf1, conf2, pub1 } = apps;
let browser: Visitor;

beforeAll(async () => {
  for (const host of [hosts.a, hosts.b]) {
    for (const { clientId } of [conf1, conf2, pub1]) await mayPush(service, host, clientId, 'allowed');
  }
});
// A minute between the tests: what they fail on purpose must not add up to a limit of failures a minute.
beforeEach(() => {
  service.clock.advance(61_000);
  browser = visitor(service, hosts.a);
});

const kept = async () => (await allRows(service)).pushedRequests ?? [];
const begin = (requestUri: string, clientId: string = conf1.clientId, by: Visitor = browser) =>
  by.authorize({ client_id: clientId, request_uri: requestUri });
const codeOf = async (requestUri: string) =>
  answerOf(await browser.signIn(await begin(requestUri), 'u1@example.test'));

describe('a pushed request', () => {
  it('I48: is answered with a request_uri that lives for a minute, never stored', async () => {
    const answer = await pushAs(service, hosts.a, conf1);
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    const { request_uri: requestUri, ...rest } = answer.json();
    // 256 bits in base64url.
    expect(requestUri).toMatch(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
    expect(rest).toEqual({ expires_in: 60 });
  });

  it.each([conf1, pub1])('I48: of $clientId leads to tokens', async (app) => {
    const proof = pkce();
    const requestUri = await pushed(service, hosts.a, app, { state: 'the state', nonce: 'n' }, proof);
    const page = await begin(requestUri, app.clientId);
    const answer = answerOf(await browser.signIn(page, 'u1@example.test'));
    expect(answer.get('state')).toBe('the state');
    expect(answer.get('iss')).toBe('https://a.test');
    const exchanged = await token(service, hosts.a, {
      grant_type: 'authorization_code',
      ...credentialsOf(app),
      code: String(answer.get('code')),
      code_verifier: proof.verifier,
      redirect_uri: app.redirectUri,
    });
    expect(exchanged.status).toBe(200);
  });

  it('I48: begins by POST too, and with a session answers at once', async () => {
    await codeOf(await pushed(service, hosts.a, conf1));
    const body = { client_id: 'conf1', request_uri: await pushed(service, hosts.a, conf1) };
    const answer = await browser.send('/api/oidc/auth', { body });
    expect(answerOf(answer).has('code')).toBe(true);
  });

  it('I48: may come with its client by Basic alone, and keeps its hint', async () => {
    const { client_id: _, ...body } = authorizationParameters('conf1', conf1.redirectUri, pkce());
    const headers = { authorization: `Basic ${Buffer.from(`conf1:${secrets.conf1}`).toString('base64')}` };
    const send = (more: Record<string, string>) =>
      service.http(hosts.a, pushUrl, { body: { ...body, ...more }, headers });
    const requestUri = async (more: Record<string, string> = {}) =>
      (await send(more)).json<{ request_uri: string }>().request_uri;
    await codeOf(await requestUri());
    const garbled = await begin(await requestUri({ id_token_hint: 'x.y.z' }));
    expectErrorRedirect(garbled, { redirectUri: conf1.redirectUri, error: 'invalid_request' });
  });

  it('PR14, I48: is nowhere in clear: not in the database, an address or the log', async () => {
    const telling = { state: 'telling-state', nonce: 'telling-nonce', login_hint: 'telling@example.test' };
    const requestUri = await pushed(service, hosts.a, conf1, telling);
    const stored = JSON.stringify(await kept());
    expect(stored).not.toContain(String(requestUri.split(':').at(-1)));
    const first = await browser.send(
      `/api/oidc/auth?${new URLSearchParams({ client_id: 'conf1', request_uri: requestUri })}`,
    );
    const address = String(first.headers.location);
    expect(address).toMatch(/^\/sign-in\?flow=/);
    const decoded = address.split(/[=.~]/).map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    const seen = [stored, address, ...decoded, ...service.logLines].join('\n');
    for (const value of Object.values(telling)) expect(seen).not.toContain(value);
    expect((await browser.send(address)).text).toContain('telling@example.test');
  });

  it('PR15: in a flow that is too old leads to its app, and offers no link that begins it anew', async () => {
    const page = await begin(await pushed(service, hosts.a, conf1, { state: 'telling-state' }));
    service.clock.advance(13 * 60 * 60_000);
    const answer = await browser.signIn(page, 'u1@example.test');
    expectErrorPage(answer, 403);
    expect(answer.text).toContain('Go back to the app');
    expect(answer.text).not.toMatch(/telling-state|\/api\/oidc\/auth/);
  });

  it('is not begun by HEAD', async () => {
    const requestUri = await pushed(service, hosts.a, conf1);
    const query = new URLSearchParams({ client_id: 'conf1', request_uri: requestUri });
    const head = await browser.send(`/api/oidc/auth?${query}`, { method: 'HEAD' });
    expect(head.status).toBe(303);
    expect((await begin(requestUri)).status).toBe(200);
  });
});

describe('a request_uri', () => {
  it('PR1: of another client is like none, and stays its own client’s', async () => {
    const requestUri = await pushed(service, hosts.a, conf1);
    expectErrorPage(await begin(requestUri, 'conf2'));
    expectErrorPage(await begin(requestUri, 'pub1'));
    expectErrorPage(await begin(requestUri, 'no-such-client'));
    expect((await begin(requestUri)).status).toBe(200);
  });

  it('PR2: of another tenant is like none', async () => {
    const requestUri = await pushed(service, hosts.b, conf1);
    expectErrorPage(await begin(requestUri));
    expect((await begin(requestUri, 'conf1', visitor(service, hosts.b))).status).toBe(200);
  });

  it('PR3, I48: works once, whatever becomes of the flow', async () => {
    const requestUri = await pushed(service, hosts.a, conf1);
    const page = await begin(requestUri);
    expect(page.status).toBe(200);
    const again = await begin(requestUri);
    expectErrorPage(again);
    expect(again.text).toContain('already used');
    expect(again.text).not.toContain(requestUri);
    // The flow that it began goes on.
    expect(answerOf(await browser.signIn(page, 'u1@example.test')).has('code')).toBe(true);
    expectErrorPage(await begin(requestUri));
  });

  it('PR4, I48: works for a minute', async () => {
    const [inTime, late] = [await pushed(service, hosts.a, conf1), await pushed(service, hosts.a, conf1)];
    service.clock.advance(59_000);
    expect((await begin(inTime)).status).toBe(200);
    service.clock.advance(1_000);
    expectErrorPage(await begin(late));
  });

  it('PR5: that was never given is answered by a page, and never followed', async () => {
    const genuine = await pushed(service, hosts.a, conf1);
    const scheme = 'urn:ietf:params:oauth:request_uri:';
    for (const guessed of [scheme, `${scheme}x`, `${genuine}x`, genuine.slice(0, -1), `${scheme}\u0000`]) {
      expectErrorPage(await begin(guessed));
    }
    const hash = String((await kept()).map((row) => (row as { hash: string }).hash).at(-1));
    expectErrorPage(await begin(`${scheme}${hash}`));
    const { redirectUri } = conf1;
    const other = { client_id: 'conf1', redirect_uri: redirectUri, request_uri: 'https://evil.test/request' };
    expectErrorRedirect(await browser.authorize(other), { redirectUri, error: 'request_uri_not_supported' });
    expectErrorPage(await browser.authorize({ client_id: 'conf1', request_uri: genuine.toUpperCase() }));
  });

  it('PR5: that comes twice, or with two clients, is used by neither', async () => {
    const requestUri = await pushed(service, hosts.a, conf1);
    const uri = encodeURIComponent(requestUri);
    for (const query of [
      `client_id=conf1&request_uri=${uri}&request_uri=${uri}`,
      `client_id=conf1&client_id=conf1&request_uri=${uri}`,
      `request_uri=${uri}`,
    ]) {
      expectErrorPage(await browser.send(`/api/oidc/auth?${query}`));
    }
    expect((await begin(requestUri)).status).toBe(200);
  });

  it('PR6: that 200 browsers bring at once begins one flow', async () => {
    const requestUri = await pushed(service, hosts.a, conf1);
    const query = new URLSearchParams({ client_id: 'conf1', request_uri: requestUri });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => service.http(hosts.a, `/api/oidc/auth?${query}`)),
    );
    const begun = answers.filter(({ status }) => status === 303);
    expect(begun).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(199);
  });

  it('PR8, I48: is all that counts: parameters beside it are ignored', async () => {
    const requestUri = await pushed(service, hosts.a, conf1, { state: 'pushed' });
    const page = await browser.authorize({
      client_id: 'conf1',
      request_uri: requestUri,
      redirect_uri: 'https://evil.test/cb',
      state: 'sent',
      scope: 'email',
      response_type: 'token',
      prompt: 'none',
      code_challenge: 'x',
    });
    const answer = await browser.signIn(page, 'u1@example.test');
    expect(answer.headers.location?.startsWith(`${conf1.redirectUri}?`)).toBe(true);
    expect(answerOf(answer).get('state')).toBe('pushed');
  });
});

describe('a client that must push its requests', () => {
  const must = { clientId: 'conf2', redirectUri: apps.conf2.redirectUri, secret: secrets.conf2 };
  const plain = (more: Record<string, string> = {}) =>
    browser.authorize(authorizationParameters(must.clientId, must.redirectUri, pkce(), more));

  it('PR7: gets invalid_request for any other, and a code for one that it pushed', async () => {
    const open = await plain();
    await mayPush(service, hosts.a, 'conf2', 'required');
    expectErrorRedirect(await plain({ state: 's' }), {
      redirectUri: must.redirectUri,
      error: 'invalid_request',
      state: 's',
    });
    // What was begun before it had to is not what it must be either.
    const late = await browser.signIn(open, 'u1@example.test');
    expectErrorRedirect(late, { redirectUri: must.redirectUri, error: 'invalid_request' });
    const requestUri = await pushed(service, hosts.a, must);
    expect(answerOf(await begin(requestUri, 'conf2')).has('code')).toBe(true);
    await mayPush(service, hosts.a, 'conf2', 'allowed');
    expect(answerOf(await plain()).has('code')).toBe(true);
  });
});

describe('a tenant', () => {
  const fresh = useFreshService({ data: 'security' });
  const documentOf = async () =>
    (await fresh.http(hosts.a, '/.well-known/openid-configuration')).json<Record<string, unknown>>();
  const told = async () => {
    const { pushed_authorization_request_endpoint: endpoint, require_pushed_authorization_requests: must } =
      await documentOf();
    return { endpoint, must };
  };

  it('I48: without a client that may push has no such endpoint, and discovery says nothing of it', async () => {
    expect(await told()).toEqual({ endpoint: undefined, must: undefined });
    expect((await pushAs(fresh, hosts.a, conf1)).status).toBe(404);
  });

  it('I48: with one client that may push lists it, for that client alone', async () => {
    await mayPush(fresh, hosts.a, 'conf1', 'required');
    expect(await told()).toEqual({ endpoint: 'https://a.test/api/oidc/par', must: false });
    expectJsonError(await pushAs(fresh, hosts.a, conf2), 400, 'unauthorized_client');
    expect((await pushAs(fresh, hosts.a, conf1)).status).toBe(201);
    expect((await pushAs(fresh, hosts.b, conf1)).status).toBe(404);
    await mayPush(fresh, hosts.a, 'conf1', 'off');
    expect(await told()).toEqual({ endpoint: undefined, must: undefined });
  });

  it('I48: says that pushing is required where all of its clients must', async () => {
    const clients = await fresh.store.transaction((tx) =>
      tx
        .selectFrom('clients')
        .innerJoin('tenants', 'tenants.id', 'clients.tenantId')
        .select('clientId')
        .where('host', '=', hosts.a)
        .execute(),
    );
    for (const { clientId } of clients) await mayPush(fresh, hosts.a, clientId, 'required');
    expect(await told()).toEqual({ endpoint: 'https://a.test/api/oidc/par', must: true });
  });

  it('I48, I50: lets registered origins read the answer, and no other', async () => {
    await mayPush(fresh, hosts.a, 'pub1', 'allowed');
    const headers = { origin: 'https://pub1.test', 'access-control-request-method': 'POST' };
    const preflight = await fresh.http(hosts.a, pushUrl, { method: 'OPTIONS', headers });
    expect(preflight.headers['access-control-allow-origin']).toBe('https://pub1.test');
    const other = await fresh.http(hosts.a, pushUrl, { body: {}, headers: { origin: 'https://evil.test' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('I48: forgets a pushed request when its client may not push any more', async () => {
    await mayPush(fresh, hosts.a, 'conf1', 'allowed');
    const requestUri = await pushed(fresh, hosts.a, conf1);
    await mayPush(fresh, hosts.a, 'conf1', 'off');
    const query = new URLSearchParams({ client_id: 'conf1', request_uri: requestUri });
    expectErrorPage(await fresh.http(hosts.a, `/api/oidc/auth?${query}`));
  });
});
