import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { askForCode, codesFor, phoneOf, poll } from '../../support/device.ts';
import { run } from '../../support/operators/desk.ts';
import {
  allScopes,
  audienceOf,
  films,
  foreign,
  host,
  invoices,
  own,
  type Tokens,
  unasked,
  useResources,
} from '../../support/requests/resources.ts';
import { apiAudience } from '../../support/service.ts';
import {
  apps,
  claimsOf,
  credentialsOf,
  expectBadToken,
  expectError,
  headerOf,
  profile,
  refreshAs,
} from '../../support/tokens.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { answerOf, authorizationParameters, pkce, token, visitor } from '../../support/visitor.ts';

const { service, ask, codeOf, exchange, tokensAt } = useResources();

describe('a client that names APIs', () => {
  it('I54: gets a token for the first of them, with its scopes alone', async () => {
    const tokens = await tokensAt([invoices, films]);
    expect(claimsOf(tokens.access_token)).toMatchObject({
      aud: invoices,
      scope: 'openid offline_access invoices:read',
      client_id: 'pub1',
    });
    expect(tokens.scope).toBe('openid offline_access invoices:read');
    expect(headerOf(tokens.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    expect(claimsOf(String(tokens.id_token)).aud).toBe('pub1');
  });

  it('I54: chooses another at the token endpoint, and at each refresh, in the algorithm of that API', async () => {
    const tokens = await tokensAt([invoices, films, own], [films]);
    expect(audienceOf(tokens)).toBe(films);
    expect(headerOf(tokens.access_token).alg).toBe('RS256');
    const refreshed = await refreshAs(service, host, apps.pub1, tokens.refresh_token, { resource: own });
    const next = refreshed.json<Tokens & Record<string, unknown>>();
    expect(claimsOf(next.access_token)).toMatchObject({
      aud: apiAudience,
      scope: 'openid offline_access email',
    });
    expect((await profile(service, host, next.access_token)).status).toBe(200);
    const first = await refreshAs(service, host, apps.pub1, next.refresh_token);
    expect(audienceOf(first.json())).toBe(invoices);
  });

  it('I54: is understood by jose alone, which refuses each token at the other API', async () => {
    const { access_token: jwt } = await tokensAt([invoices, films], [films]);
    const jwks = createLocalJWKSet(
      (await service.http(host, '/api/oidc/jwks')).json() as unknown as JSONWebKeySet,
    );
    const currentDate = new Date(service.clock.now());
    const checks = { issuer: `https://${host}`, typ: 'at+jwt', currentDate };
    await expect(jwtVerify(jwt, jwks, { ...checks, audience: films })).resolves.toBeDefined();
    for (const audience of [invoices, apiAudience, own]) {
      await expect(jwtVerify(jwt, jwks, { ...checks, audience })).rejects.toThrow('"aud"');
    }
  });

  it('I54: without resource gets what it always got', async () => {
    const tokens = await tokensAt([]);
    expect(claimsOf(tokens.access_token)).toMatchObject({
      aud: apiAudience,
      scope: 'openid offline_access email',
    });
  });

  it('decision 53: without openid gets a token for the API, no id_token, and a refresh token by offline_access', async () => {
    const plain = await tokensAt([invoices], [], 'invoices:read email');
    expect(plain).not.toHaveProperty('id_token');
    expect(plain).not.toHaveProperty('refresh_token');
    expect(claimsOf(plain.access_token)).toMatchObject({ aud: invoices, scope: 'invoices:read' });
    const offline = await tokensAt([invoices], [], 'invoices:read offline_access');
    const refreshed = await refreshAs(service, host, apps.pub1, offline.refresh_token);
    expect(refreshed.json()).not.toHaveProperty('id_token');
    for (const [resources, scope] of [
      [[invoices], 'email'],
      [[], 'invoices:read'],
      [[own, invoices], 'invoices:read'],
      [[films, invoices], 'invoices:read'],
    ] as const) {
      expect((await ask(resources, scope)).answer.get('error')).toBe('invalid_scope');
    }
  });

  it('I54: pushes its request with several of them, and is refused a foreign one at once', async () => {
    await run(service, 'clients.change', {
      tenant: host,
      clientId: 'pub2',
      apis: [films],
      pushedRequests: 'allowed',
    });
    const { clientId, redirectUri } = apps.pub2;
    const proof = pkce();
    const scope = 'openid films:watch';
    const push = (resources: readonly string[]) => {
      const body = new URLSearchParams(authorizationParameters(clientId, redirectUri, proof, { scope }));
      for (const resource of resources) body.append('resource', resource);
      return service.http(host, '/api/oidc/par', { body });
    };
    expectError(await push([films, foreign]), 400, 'invalid_target');
    const { request_uri: uri } = (await push([films, own])).json();
    const browser = visitor(service, host);
    const page = await browser.authorize({ client_id: clientId, request_uri: String(uri) });
    const code = String(answerOf(await browser.signIn(page, 'u1@example.test')).get('code'));
    const body = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: proof.verifier,
    };
    expect(audienceOf((await token(service, host, body)).json())).toBe(films);
  });

  it('I54: at a TV gets a token for the API too', async () => {
    const asked = { scope: allScopes, resource: films };
    const codes = await codesFor(service, host, apps.pub1, asked);
    await (await phoneOf(service, host)).approve(codes.user_code);
    const wrong = await poll(service, host, codes.device_code, apps.pub1, { resource: invoices });
    expectError(wrong, 400, 'invalid_target');
    service.clock.advance(5_000);
    const tokens = (await poll(service, host, codes.device_code)).json<Tokens & Record<string, unknown>>();
    expect(audienceOf(tokens)).toBe(films);
    expectError(await askForCode(service, host, apps.pub1, { resource: unasked }), 400, 'invalid_target');
  });
});

describe('a resource that a client may not ask for', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['AU3: of another tenant', foreign],
    ['AU5: that it may not ask for', unasked],
    ['AU6: with a fragment', `${invoices}#x`],
    ['AU6: that is relative', '/v1'],
    ['AU6: in another spelling', `${invoices}/`],
    ['AU6: of two texts in one', `${invoices} ${films}`],
    ['AU6: that is no URI', 'javascript:alert(1)'],
    ['AU6: of two thousand characters', `https://x.test/${'x'.repeat(2_000)}`],
    ['AU7: that is the issuer', `https://${host}`],
    ['AU7: that is a client_id', 'conf1'],
  ];

  it.each(wrong)('%s is invalid_target', async (_, resource) => {
    expect((await ask([resource])).answer.get('error')).toBe('invalid_target');
    expect((await ask([invoices, resource])).answer.get('error')).toBe('invalid_target');
    const code = await codeOf([invoices]);
    expectError(await exchange(code, [resource]), 400, 'invalid_target');
    // Nothing was wrong with the code.
    expect((await exchange(code)).status).toBe(200);
  });

  it('AU8: is one of many', async () => {
    const many = Array.from({ length: 9 }, (_, index) => `urn:example:${index}`);
    expect((await ask([...many, invoices])).answer.get('error')).toBe('invalid_target');
    expect((await ask(Array(20).fill(invoices))).answer.get('code')).not.toBeNull();
  });

  it('AU9: two at the token endpoint are refused, and so is one that was not granted', async () => {
    const code = await codeOf([invoices]);
    expectError(await exchange(code, [invoices, films]), 400, 'invalid_target');
    expectError(await exchange(code, [films]), 400, 'invalid_target');
    expectError(await exchange(code, [own]), 400, 'invalid_target');
    expect((await exchange(code, [invoices])).status).toBe(200);
  });

  it('AU10: a refresh widens neither the APIs nor the scope, and the token stays', async () => {
    const { refresh_token: current } = await tokensAt([invoices], [], 'openid offline_access invoices:read');
    const refresh = (more: Record<string, string>) => refreshAs(service, host, apps.pub1, current, more);
    expectError(await refresh({ resource: films }), 400, 'invalid_target');
    expectError(await refresh({ resource: own }), 400, 'invalid_target');
    expectError(await refresh({ scope: 'invoices:pay' }), 400, 'invalid_scope');
    expect((await refresh({ resource: invoices, scope: 'invoices:read' })).json()).toMatchObject({
      scope: 'invoices:read',
    });
  });

  it('AU11: a token for an API is refused by the member API and UserInfo', async () => {
    const { access_token: jwt } = await tokensAt([invoices]);
    expectBadToken(await profile(service, host, jwt));
    expectBadToken(await service.http(host, '/api/oidc/me', { headers: { authorization: `Bearer ${jwt}` } }));
  });

  it('AU12: an API that is deleted, or taken from the client, gets no token any more', async () => {
    const identifier = 'urn:example:passing';
    const scopes = { 'passing:all': 'All' };
    await run(service, 'apis.create', { tenant: host, identifier, name: 'API', scopes });
    const change = (apis: readonly string[]) =>
      run(service, 'clients.change', { tenant: host, clientId: 'pub1', apis });
    await change([invoices, films, identifier]);
    const scope = `${allScopes} passing:all`;
    const { refresh_token: current } = await tokensAt([identifier, films], [], scope);
    const code = await codeOf([identifier], scope);
    await run(service, 'apis.delete', { tenant: host, identifier });
    expectError(await refreshAs(service, host, apps.pub1, current), 400, 'invalid_target');
    expectError(await exchange(code), 400, 'invalid_target');
    // Registered again it is another one, for which the client must be allowed anew.
    await run(service, 'apis.create', { tenant: host, identifier, name: 'API', scopes });
    expectError(await refreshAs(service, host, apps.pub1, current), 400, 'invalid_target');
    const next = await refreshAs(service, host, apps.pub1, current, { resource: films });
    expect(audienceOf(next.json())).toBe(films);
    await change([invoices, films]);
  });
});

it('AU13: a third party’s client asks the member for each API, and for a scope of each', async () => {
  const redirectUri = 'https://third.test/cb';
  const browser = visitor(service, host);
  const asking = (scope: string, resource: string) =>
    browser.authorize(authorizationParameters('third', redirectUri, pkce(), { scope, resource }));
  const none = answerOf(await asking('openid', invoices));
  expect(none.get('error')).toBe('invalid_scope');
  const page = await browser.signIn(await asking('openid invoices:read', invoices), 'u1@example.test');
  const question = page.headers.location === undefined ? page : await browser.send(page.headers.location);
  expect(question.text).toContain('See your invoices');
  expect(question.text).not.toContain('Watch films');
  const flow = /name="flow" value="([^"]+)"/.exec(question.text)?.[1] ?? '';
  const allowed = await browser.send('/consent', { body: { flow, action: 'allow' } });
  expect(answerOf(allowed).get('code')).not.toBeNull();
  expect(answerOf(await asking('openid invoices:read', invoices)).get('code')).not.toBeNull();
  // What was allowed at one API was not allowed at another, nor more of it at the same.
  for (const [scope, resource] of [
    ['openid films:watch', films],
    ['openid invoices:pay', invoices],
  ] as const) {
    expect((await asking(scope, resource)).text).toContain('name="action" value="allow"');
  }
});

it('AU14: parameters that are not resource are sent once, as before', async () => {
  const { clientId, redirectUri } = apps.pub1;
  const query = new URLSearchParams(
    authorizationParameters(clientId, redirectUri, pkce(), { resource: invoices }),
  );
  query.append('nonce', 'a');
  query.append('nonce', 'b');
  const answer = await visitor(service, host).send(`/api/oidc/auth?${query}`);
  expect(answerOf(answer).get('error')).toBe('invalid_request');
  const twice = new URLSearchParams({ grant_type: 'refresh_token', ...credentialsOf(apps.pub1) });
  twice.append('refresh_token', 'a');
  twice.append('refresh_token', 'b');
  expectError(await service.http(host, '/api/oidc/token', { body: twice }), 400, 'invalid_request');
  expect((await token(service, host, { resource: invoices })).status).toBe(400);
});

describe('a tenant without APIs', () => {
  it('I7: ignores resource, however long it is', async () => {
    const resource = `https://unknown.test/${'a'.repeat(3_000)}`;
    const asked = { ...authorizationParameters('conf1', 'https://app.test/cb', pkce()), resource };
    const fresh = await serviceForTest({ data: 'security' });
    const answer = await visitor(fresh, host).authorize(asked);
    expect(answer.text).toContain('<h1>Sign in</h1>');
  });
});
