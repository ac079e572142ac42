import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { day } from '../../../support/records/records.ts';
import {
  allowClients,
  initialToken,
  metadata,
  registerAt,
  registeredAt,
  registrationUrl,
} from '../../../support/requests/registration.ts';
import { useFreshService } from '../../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../../support/visitor.ts';

const service = useFreshService({ data: 'security' });

const open = () => allowClients(service, hosts.a, { clientRegistration: 'open' });
const tenantId = () => service.deps.tenants.byHost(hosts.a)?.id ?? '';

const discovery = async () =>
  (await service.http(hosts.a, '/.well-known/openid-configuration')).json<Record<string, unknown>>();

const countClients = async () =>
  (await service.store.transaction((tx) => tx.selectFrom('clients').select('clientId').execute())).length;

describe('the registration endpoint', () => {
  it('I63: it does not exist where the tenant does not allow it, and discovery does not list it', async () => {
    expect((await registerAt(service, hosts.a)).status).toBe(404);
    expect(await discovery()).not.toHaveProperty('registration_endpoint');
    await open();
    expect(await discovery()).toMatchObject({
      registration_endpoint: `https://a.test${registrationUrl}`,
    });
    expect((await registerAt(service, hosts.b)).status).toBe(404);
  });

  it('I63: it answers 201 with what was registered', async () => {
    await open();
    const answer = await registerAt(service, hosts.a);
    expect(answer.status).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { client_id: clientId, ...rest } = answer.json<Record<string, string>>();
    expect(rest).toEqual({
      client_id_issued_at: Math.floor(service.clock.now() / 1_000),
      registration_access_token: expect.stringMatching(/^[\w-]{43}$/),
      registration_client_uri: `https://a.test${registrationUrl}/${clientId}`,
      client_name: 'Lamp',
      redirect_uris: metadata.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'RS256',
    });
    const parameters = authorizationParameters(String(clientId), 'http://127.0.0.1:4711/cb', pkce());
    expect((await visitor(service, hosts.a).authorize(parameters)).text).toContain('<h1>Sign in</h1>');
  });

  it('I63: an initial access token is needed unless the tenant is open, and is counted', async () => {
    await allowClients(service, hosts.a, { clientRegistration: 'token' });
    const none = await registerAt(service, hosts.a);
    expectJsonError(none, 401, 'invalid_token');
    expect(none.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    const token = await initialToken(service, hosts.a, 2);
    const withToken = (body: unknown = metadata) =>
      registerAt(service, hosts.a, body, { authorization: `Bearer ${token}` });
    // What is refused uses nothing up.
    expectJsonError(await withToken({}), 400, 'invalid_redirect_uri');
    expect((await withToken()).status).toBe(201);
    expect((await withToken()).status).toBe(201);
    expectJsonError(await withToken(), 401, 'invalid_token');
  });

  it('UR7: an initial access token that is expired, or of another tenant, registers nothing', async () => {
    await allowClients(service, hosts.a, { clientRegistration: 'token' });
    await allowClients(service, hosts.b, { clientRegistration: 'token' });
    const foreign = await initialToken(service, hosts.b);
    const own = await initialToken(service, hosts.a);
    const before = await countClients();
    const use = (token: string) =>
      registerAt(service, hosts.a, metadata, { authorization: `Bearer ${token}` });
    expectJsonError(await use(foreign), 401, 'invalid_token');
    service.clock.advance(60_000);
    expectJsonError(await use(own), 401, 'invalid_token');
    expect(await countClients()).toBe(before);
  });

  it.each(['client_secret_basic', 'client_secret_post', 'client_secret_jwt'])(
    'UR8: a client that asks for %s gets no secret, and is told so',
    async (method) => {
      await open();
      const answer = await registerAt(service, hosts.a, { ...metadata, token_endpoint_auth_method: method });
      expect(answer.status).toBe(201);
      expect(answer.json()).toMatchObject({ token_endpoint_auth_method: 'none' });
      expect(answer.text).not.toContain('client_secret');
    },
  );

  it('I63: a client may prove itself by its keys', async () => {
    await open();
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] };
    const signed = { ...metadata, token_endpoint_auth_method: 'private_key_jwt' };
    const answer = await registerAt(service, hosts.a, { ...signed, jwks: keys });
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', jwks: keys });
    const secret = { keys: [await exportJWK(privateKey)] };
    expectJsonError(
      await registerAt(service, hosts.a, { ...signed, jwks: secret }),
      400,
      'invalid_client_metadata',
    );
    expectJsonError(await registerAt(service, hosts.a, signed), 400, 'invalid_client_metadata');
  });

  it.each([
    ['javascript:', ['javascript:alert(1)']],
    ['data:', ['data:text/html,<script>alert(1)</script>']],
    ['plain http', ['http://lamp.test/cb']],
    ['a fragment', ['https://lamp.test/cb#x']],
    ['user info', ['https://user@lamp.test/cb']],
    ['a wildcard', ['https://*.lamp.test/cb']],
    ['a simple scheme', ['lamp:/cb']],
    ['this service itself', ['https://a.test/api/oidc/auth']],
    ['a good one and a bad one', ['https://lamp.test/cb', 'vbscript:x']],
    ['no text', [{ uri: 'https://lamp.test/cb' }]],
    ['none', []],
    ['no list', 'https://lamp.test/cb'],
  ])('UR9: a redirect URI with %s is refused by name', async (_what, uris) => {
    await open();
    const before = await countClients();
    expectJsonError(
      await registerAt(service, hosts.a, { ...metadata, redirect_uris: uris }),
      400,
      'invalid_redirect_uri',
    );
    expect(await countClients()).toBe(before);
  });

  it('UR10: thousands of redirect URIs are refused', async () => {
    await open();
    const many = Array.from({ length: 1_000 }, (_, index) => `https://l.test/${index}`);
    const answer = await registerAt(service, hosts.a, { ...metadata, redirect_uris: many });
    expectJsonError(answer, 400, 'invalid_redirect_uri');
    const more = Array.from({ length: 10_000 }, (_, index) => `https://l.test/${index}`);
    expectJsonError(
      await registerAt(service, hosts.a, { ...metadata, redirect_uris: more }),
      413,
      'invalid_request',
    );
  });

  it.each([
    ['a member twice', '{"redirect_uris":["https://lamp.test/cb"],"redirect_uris":["https://evil.test/cb"]}'],
    ['no JSON', '{"redirect_uris":'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1')],
    ['nothing', ''],
  ])('UR11: a body with %s is refused', async (_what, body) => {
    await open();
    const answer = await registerAt(service, hosts.a, body);
    expect(answer.status).toBe(400);
  });

  it.each([
    ['a list', []],
    ['null', null],
    ['a text', '"x"'],
    ['other grants alone', { ...metadata, grant_types: ['implicit'] }],
    ['another response type', { ...metadata, response_types: ['token'] }],
    ['a TLS certificate', { ...metadata, token_endpoint_auth_method: 'tls_client_auth' }],
    ['a name that is no text', { ...metadata, client_name: { en: 'x' } }],
    [
      'keys in two ways',
      {
        ...metadata,
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [] },
        jwks_uri: 'https://lamp.test/k',
      },
    ],
  ])('UR12: metadata with %s are refused by name', async (_what, body) => {
    await open();
    expectJsonError(await registerAt(service, hosts.a, body), 400, 'invalid_client_metadata');
  });

  it('UR9: a redirect URI to the host of the tenant is refused, with a dot at its end or another port too', async () => {
    await open();
    for (const uri of [
      'https://a.test/cb',
      'https://a.test./cb',
      'https://a.test:8443/cb',
      'https://lamp.test./cb',
    ]) {
      const answer = await registerAt(service, hosts.a, { ...metadata, redirect_uris: [uri] });
      expectJsonError(answer, 400, 'invalid_redirect_uri');
    }
  });

  it('UR11: metadata that is nested thousands deep is refused', async () => {
    await open();
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kid: '' }] } };
    const text = JSON.stringify({ ...metadata, ...method });
    const deep = text.replace('"kid":""', `"kid":${'['.repeat(10_000)}${']'.repeat(10_000)}`);
    expectJsonError(await registerAt(service, hosts.a, deep), 400, 'invalid_request');
  });

  it('UR13: a software statement is refused, whatever it says', async () => {
    await open();
    const answer = await registerAt(service, hosts.a, { ...metadata, software_statement: 'a.b.c' });
    expectJsonError(answer, 400, 'invalid_software_statement');
  });

  it('UR14: what only an operator gives is left aside', async () => {
    await open();
    const { client_id: clientId } = await registeredAt(service, hosts.a, {
      ...metadata,
      client_id: 'pub1',
      client_secret: 'chosen',
      thirdParty: false,
      first_party: true,
      logo_uri: 'https://a.test/logo.png',
      jku: 'https://evil.test/keys',
      scope: 'openid admin',
      default_max_age: 1,
      require_auth_time: true,
    });
    expect(clientId).not.toBe('pub1');
    const row = await service.store.transaction((tx) =>
      tx.selectFrom('clients').selectAll().where('clientId', '=', clientId).executeTakeFirstOrThrow(),
    );
    expect(row).toMatchObject({
      thirdParty: 1,
      secrets: '[]',
      logo: null,
      origin: 'registered',
      deviceFlow: 0,
    });
    expect(row.refreshTokenAbsolute).toBe(30 * day);
  });

  it('UR15: 200 registrations at once are bounded, from one address and from many', async () => {
    await open();
    const before = await countClients();
    const answers = await Promise.all(Array.from({ length: 200 }, () => registerAt(service, hosts.a)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(180);
    expect(await countClients()).toBe(before + 20);
    await allowClients(service, hosts.a, {
      limits: {
        ...(service.deps.tenants.byHost(hosts.a)?.limits as never as object),
        registrationsPerAddressAndHour: null,
        registrationsPerHour: 30,
      } as never,
    });
    const more = await Promise.all(Array.from({ length: 50 }, () => registerAt(service, hosts.a)));
    expect(more.filter(({ status }) => status === 201)).toHaveLength(10);
  });

  it('decision 50: a host that is banned cannot register', async () => {
    await open();
    await service.store.transaction((tx) =>
      tx
        .insertInto('clientBans')
        .values({ tenantId: tenantId(), banned: 'lamp.test', bannedAt: 1 })
        .execute(),
    );
    expectJsonError(await registerAt(service, hosts.a), 400, 'invalid_redirect_uri');
    const other = { ...metadata, redirect_uris: ['https://other.test/cb'] };
    expect((await registerAt(service, hosts.a, other)).status).toBe(201);
  });

  it('I63: any origin may register from a script', async () => {
    await open();
    const preflight = await service.http(hosts.a, registrationUrl, {
      method: 'OPTIONS',
      headers: { origin: 'https://inspector.test', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers['access-control-allow-origin']).toBe('https://inspector.test');
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
  });
});
