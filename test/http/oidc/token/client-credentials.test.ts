import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { hosts, secrets } from '../../../support/fixtures.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';
import { claimsOf, expectBadToken, expectError, headerOf, profile } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { token } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const { a: host } = hosts;
const invoices = 'https://invoices.test/v1';
const films = 'urn:example:films';

const change = (clientId: string, changes: object) =>
  run(service, 'clients.change', { tenant: host, clientId, ...changes });

beforeAll(async () => {
  const api = (identifier: string, scopes: object, more: object = {}) =>
    run(service, 'apis.create', { tenant: host, identifier, name: 'API', scopes, ...more });
  await api(invoices, { 'invoices:read': 'Read', 'invoices:pay': 'Pay', 'invoices:delete': 'Delete' });
  await api(films, { 'films:watch': 'Watch' }, { accessTokenAlgorithm: 'RS256' });
  const serviceScopes = ['invoices:read', 'invoices:pay', 'films:watch'];
  await change('conf1', { apis: [invoices, films], clientCredentials: true, serviceScopes });
  await change('conf2', { apis: [invoices] });
});

const { conf1, conf2 } = secrets;
const ask = (more: Record<string, string> = {}, client = 'conf1', secret: string = conf1) =>
  token(service, host, {
    grant_type: 'client_credentials',
    client_id: client,
    client_secret: secret,
    resource: invoices,
    ...more,
  });

describe('a client in its own name', () => {
  it('I60: gets an access token for the API with all that it may ask for there, and nothing else', async () => {
    const answer = await ask();
    expect(answer.json()).toEqual({
      token_type: 'Bearer',
      expires_in: 3_600,
      access_token: expect.any(String),
      scope: 'invoices:read invoices:pay',
    });
    const jwt = String(answer.json().access_token);
    expect(headerOf(jwt)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    const now = Math.floor(service.clock.now() / 1_000);
    expect(claimsOf(jwt)).toEqual({
      iss: `https://${host}`,
      sub: 'conf1',
      aud: invoices,
      client_id: 'conf1',
      scope: 'invoices:read invoices:pay',
      jti: expect.any(String),
      iat: now,
      exp: now + 3_600,
    });
    expect((await auditEvents(service)).at(-1)).toMatchObject({
      event: 'service_token_issued',
      actorKind: 'client',
      actorId: 'conf1',
      reason: `${invoices}: invoices:read invoices:pay`,
    });
  });

  it('I60: names the scopes and the API, whose algorithm signs', async () => {
    expect((await ask({ scope: 'invoices:pay' })).json().scope).toBe('invoices:pay');
    const jwt = String((await ask({ resource: films })).json().access_token);
    expect(headerOf(jwt).alg).toBe('RS256');
    expect(claimsOf(jwt)).toMatchObject({ aud: films, scope: 'films:watch' });
  });

  it('I60: is listed in discovery where a client has it, and nowhere else', async () => {
    const grants = async (at: string) =>
      (await service.http(at, '/.well-known/openid-configuration')).json().grant_types_supported;
    expect(await grants(host)).toContain('client_credentials');
    expect(await grants(hosts.b)).not.toContain('client_credentials');
  });

  it('I60: is understood by oauth4webapi', async () => {
    const issuer = new URL(`https://${host}`);
    const options = {
      [oauth.customFetch]: async (
        url: string,
        { body, headers }: { body: URLSearchParams; headers: object },
      ) => {
        const answer = await service.http(host, new URL(url).pathname, {
          body: new URLSearchParams(body),
          headers: Object.fromEntries(Object.entries(headers)),
        });
        return new Response(answer.text, {
          status: answer.status,
          headers: { 'content-type': String(answer.headers['content-type']) },
        });
      },
    };
    const server = { issuer: issuer.origin, token_endpoint: `${issuer.origin}/api/oidc/token` };
    const client = { client_id: 'conf1' };
    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(conf1),
      { resource: invoices, scope: 'invoices:read' },
      options as never,
    );
    const result = await oauth.processClientCredentialsResponse(server, client, answer);
    expect(claimsOf(result.access_token)).toMatchObject({
      sub: 'conf1',
      aud: invoices,
      scope: 'invoices:read',
    });
  });
});

describe('a client that may not', () => {
  it('AU15: asks for no scope of a member, none of another API, and none that is not allowed', async () => {
    for (const scope of [
      'openid',
      'offline_access',
      'email',
      'members:read',
      'films:watch',
      'invoices:delete',
    ]) {
      expectError(await ask({ scope }), 400, 'invalid_scope');
      expectError(await ask({ scope: `invoices:read ${scope}` }), 400, 'invalid_scope');
    }
  });

  it('AU16: gets nothing where it is off, public, without its secret, or of another tenant', async () => {
    expectError(await ask({}, 'conf2', conf2), 400, 'unauthorized_client');
    expectError(await ask({}, 'conf1', 'wrong'), 401, 'invalid_client');
    const body = { grant_type: 'client_credentials', client_id: 'pub1', resource: invoices };
    expectError(await token(service, host, body), 400, 'unauthorized_client');
    expectError(await token(service, host, { ...body, client_id: 'conf1' }), 401, 'invalid_client');
    const elsewhere = { ...body, client_id: 'conf1', client_secret: conf1 };
    expectError(await token(service, hosts.b, elsewhere), 400, 'unsupported_grant_type');
    await expect(change('pub1', { clientCredentials: true })).rejects.toThrow('is for confidential ones');
    await expect(change('conf1', { serviceScopes: ['members:all'] })).rejects.toThrow('has the scope');
  });

  it('AU17: gets a token for one API that it names, and not for the member API', async () => {
    for (const resource of ['', `https://${host}/api/v1`, 'urn:memberdoor:api', 'urn:example:none']) {
      expectError(await ask({ resource }), 400, 'invalid_target');
    }
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'conf1',
      client_secret: conf1,
    });
    body.append('resource', invoices);
    body.append('resource', films);
    expectError(await service.http(host, '/api/oidc/token', { body }), 400, 'invalid_target');
  });

  it('AU18: is no member with that token: the member API, UserInfo and the admin API refuse it', async () => {
    const jwt = String((await ask()).json().access_token);
    expectBadToken(await profile(service, host, jwt));
    const headers = { authorization: `Bearer ${jwt}` };
    expectBadToken(await service.http(host, '/api/oidc/me', { headers }));
    expectBadToken(await service.http(host, '/api/v1/admin/tenants', { headers }));
    const again = {
      grant_type: 'refresh_token',
      client_id: 'conf1',
      client_secret: conf1,
      refresh_token: jwt,
    };
    expectError(await token(service, host, again), 400, 'invalid_grant');
  });

  it('AU19: has no client_id that is like the id of a member', async () => {
    const clientId = '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02';
    const made = { tenant: host, clientId, name: 'App', type: 'confidential', clientCredentials: true };
    await expect(run(service, 'clients.create', made)).rejects.toThrow('looks like the id of a member');
  });

  it('AU20: stops at once: when it is switched off, loses a scope or an API, or is disabled', async () => {
    const made = { tenant: host, clientId: 'machine', name: 'Machine', type: 'confidential' };
    const { secret } = await run<{ secret: string }>(service, 'clients.create', {
      ...made,
      apis: [invoices],
      clientCredentials: true,
      serviceScopes: ['invoices:read'],
    });
    const get = () => ask({}, 'machine', secret);
    expect((await get()).status).toBe(200);
    await change('machine', { serviceScopes: [] });
    expectError(await get(), 400, 'invalid_scope');
    await change('machine', { serviceScopes: ['invoices:read'], clientCredentials: false });
    expectError(await get(), 400, 'unauthorized_client');
    await change('machine', { clientCredentials: true, apis: [], serviceScopes: [] });
    expectError(await get(), 400, 'invalid_target');
    await run(service, 'clients.disable', { tenant: host, clientId: 'machine' });
    expectError(await get(), 401, 'invalid_client');
  });

  it('AU21: two hundred at once get a token each', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask()));
    const ids = answers.map((answer) => claimsOf(String(answer.json().access_token)).jti);
    expect(new Set(ids).size).toBe(200);
  });
});
