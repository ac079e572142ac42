import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { sessionLife } from '../../../../src/core/limits.ts';
import { hosts } from '../../../support/fixtures.ts';
import { accountOf } from '../../../support/members/account.ts';
import { run } from '../../../support/operators/desk.ts';
import { noticesOf, patientOutbound, tell, tellNoMore } from '../../../support/outbound/told.ts';
import { apps, claimsOf, hasSession, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { visitor } from '../../../support/visitor.ts';

const { outbound } = patientOutbound();
const service = useService({ data: 'security', outbound });
const a = hosts.a;
const issuer = `https://${a}`;

afterEach(async () => {
  for (const clientId of ['conf1', 'conf2', 'pub1']) await tellNoMore(service, a, clientId);
  await service.clientsTold();
});

const discovery = async (host: string = a) =>
  (await service.http(host, '/.well-known/openid-configuration')).json();

const end = (browser: ReturnType<typeof visitor>, clientId = 'conf1') =>
  browser.send(`/api/oidc/session/end?client_id=${clientId}`);

const offline = { scope: 'openid offline_access' };

/** What a client reads in the tokens that it was told with. */
const saidIn = (tokens: readonly string[]) => tokens.map((token) => claimsOf(token));

describe('discovery', () => {
  it('I45: says that clients are told of sign-outs where one is, and nothing of it elsewhere', async () => {
    const before = await service.http(a, '/.well-known/openid-configuration');
    expect(before.text).not.toContain('backchannel');
    await tell(service, a, 'conf1');
    expect(await discovery()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    expect(Object.keys(await discovery(hosts.b)).join()).not.toContain('backchannel');
    await run(service, 'clients.disable', { tenant: a, clientId: 'conf1' });
    expect(Object.keys(await discovery()).join()).not.toContain('backchannel');
    await run(service, 'clients.enable', { tenant: a, clientId: 'conf1' });
    await tellNoMore(service, a, 'conf1');
    expect((await service.http(a, '/.well-known/openid-configuration')).text).toBe(before.text);
  });
});

describe('a logout token', () => {
  it('I46: is one that a client can verify by the steps of the specification, with a library of its own', async () => {
    const told = await tell(service, a, 'conf1');
    const browser = visitor(service, a);
    const { id_token } = await tokensOf(service, a, apps.conf1, { browser, more: { nonce: 'n-1' } });
    await end(browser);
    await service.clientsTold();

    expect(told.received).toHaveLength(1);
    const [{ method, path, headers, body } = { method: '', path: '', headers: {}, body: '' }] = told.received;
    expect([method, path]).toEqual(['POST', '/signed-out?from=door']);
    expect(headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' });
    expect([...new URLSearchParams(body).keys()]).toEqual(['logout_token']);

    // Back-Channel Logout §2.6, with what the client knows: discovery, its client_id, and the id_token that it has.
    const [token = ''] = told.tokens();
    const { jwks_uri, issuer: iss } = (await discovery()) as { jwks_uri: string; issuer: string };
    const jwks = (await service.http(a, new URL(jwks_uri).pathname)).json<
      JSONWebKeySet & Record<string, unknown>
    >();
    const idHeader = decodeProtectedHeader(id_token);
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks), {
      issuer: iss,
      audience: 'conf1',
      typ: 'logout+jwt',
      algorithms: [idHeader.alg ?? ''],
      requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events'],
      currentDate: new Date(service.clock.now()),
    });
    const { sub, sid } = claimsOf(id_token);
    expect(payload).toEqual({
      iss: issuer,
      aud: 'conf1',
      iat: expect.any(Number),
      exp: Number(payload.iat) + 120,
      jti: expect.stringMatching(/^[\w-]{43}$/),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sub,
      sid,
    });
    expect(payload).not.toHaveProperty('nonce');
    expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ']);
  });

  it('I46: is signed as the id_tokens of its client are', async () => {
    const told = await tell(service, a, 'conf1');
    await run(service, 'clients.change', { tenant: a, clientId: 'conf1', idTokenAlgorithm: 'ES256' });
    const browser = visitor(service, a);
    await tokensOf(service, a, apps.conf1, { browser });
    await end(browser);
    await service.clientsTold();
    await run(service, 'clients.change', { tenant: a, clientId: 'conf1', idTokenAlgorithm: 'RS256' });
    expect(decodeProtectedHeader(told.tokens()[0] ?? '')).toMatchObject({ alg: 'ES256', typ: 'logout+jwt' });
  });

  it('is no id_token_hint and no access token', async () => {
    const told = await tell(service, a, 'conf1');
    const browser = visitor(service, a);
    await tokensOf(service, a, apps.conf1, { browser });
    await end(browser);
    await service.clientsTold();
    const [token = ''] = told.tokens();
    const again = visitor(service, a);
    await tokensOf(service, a, apps.conf1, { browser: again });
    await again.send(`/api/oidc/session/end?id_token_hint=${token}`);
    expect(await hasSession(again)).toBe(true);
    const asked = await service.http(a, '/api/oidc/me', { headers: { authorization: `Bearer ${token}` } });
    expect(asked.status).toBe(401);
  });
});

describe('who is told of a sign-out', () => {
  it('I46: each client that took part in the session, once, and no other', async () => {
    const [one, two, other] = [
      await tell(service, a, 'conf1'),
      await tell(service, a, 'pub1'),
      await tell(service, a, 'conf2'),
    ];
    const browser = visitor(service, a);
    const { id_token } = await tokensOf(service, a, apps.conf1, { browser });
    await tokensOf(service, a, apps.conf1, { browser, more: offline });
    await tokensOf(service, a, apps.pub1, { browser });
    // Another browser of the same member, and another member.
    await tokensOf(service, a, apps.conf2);
    await tokensOf(service, a, apps.conf1, { email: 'u2@example.test' });
    await end(browser);
    await service.clientsTold();
    const { sid, sub } = claimsOf(id_token);
    expect(saidIn(one.tokens())).toMatchObject([{ aud: 'conf1', sid, sub }]);
    expect(saidIn(two.tokens())).toMatchObject([{ aud: 'pub1', sid, sub }]);
    expect(other.received).toEqual([]);
    await end(browser);
    await service.clientsTold();
    expect([one.received.length, two.received.length]).toEqual([1, 1]);
  });

  it('not a client that has no address, and then nothing is written', async () => {
    const browser = visitor(service, a);
    await tokensOf(service, a, apps.conf1, { browser });
    const before = (await noticesOf(service, a, 'conf1')).length;
    await end(browser);
    expect(await noticesOf(service, a, 'conf1')).toHaveLength(before);
  });

  it('not a client of a session that grew too old: no one signed out', async () => {
    const told = await tell(service, a, 'conf1');
    const browser = visitor(service, a);
    await tokensOf(service, a, apps.conf1, { browser });
    service.clock.advance(sessionLife.member.absolute);
    expect(await hasSession(browser)).toBe(false);
    await service.clientsTold();
    expect(told.received).toEqual([]);
  });

  it('I46: the client, when the member signs out on the account page', async () => {
    const told = await tell(service, a, 'conf1');
    const account = await accountOf(service, a);
    const { id_token } = await tokensOf(service, a, apps.conf1, { browser: account });
    const page = await account.send('/account/devices');
    expect(page.status).toBe(200);
    await account.submit('/account/devices', { action: 'sign-out-all' });
    await service.clientsTold();
    expect(saidIn(told.tokens())).toContainEqual(
      expect.objectContaining({ aud: 'conf1', sid: claimsOf(id_token).sid }),
    );
  });

  it('I46: the client of the member who was there before another one signs in with the browser', async () => {
    const told = await tell(service, a, 'conf1');
    const browser = visitor(service, a);
    const { id_token } = await tokensOf(service, a, apps.conf1, { browser });
    await tokensOf(service, a, apps.conf1, { browser, email: 'u2@example.test', more: { prompt: 'login' } });
    await service.clientsTold();
    expect(saidIn(told.tokens())).toMatchObject([{ sid: claimsOf(id_token).sid }]);
  });
});

describe('where a client is told', () => {
  const problemsOf = async (uri: string) => {
    try {
      await run(service, 'clients.change', { tenant: a, clientId: 'conf1', backchannelLogoutUri: uri });
      return [];
    } catch (error) {
      return (error as { problems: readonly { path: readonly string[]; code: string }[] }).problems.map(
        ({ path, code }) => [...path, code],
      );
    }
  };

  it.each([
    'http://app.test/out',
    'http://localhost:9876/out',
    'https://app.test/out#now',
    'https://me@app.test/out',
    'https://2130706433/out',
    'https://app.test./out',
    'com.example.app:/out',
    '/out',
  ])('O2: cannot be %s', async (uri) => {
    expect(await problemsOf(uri)).toEqual([['backchannelLogoutUri', 'not_callable']]);
  });
});

describe('a client of a development tenant', () => {
  const development = useService({ data: 'development' });

  it('may be told on the machine of its developer, by http', async () => {
    const [tenant] = development.tenants.all();
    const uri = { backchannelLogoutUri: 'http://localhost:9876/out' };
    const change = { tenant: tenant?.host, clientId: 'spa', ...uri };
    expect(await run(development, 'clients.change', change)).toMatchObject(uri);
  });
});
