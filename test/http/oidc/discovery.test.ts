import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { memberScopes } from '../../../src/core/oidc/scope.ts';
import { languages } from '../../../src/text/language.ts';
import { foreignPair } from '../../support/clients/foreign-jwt.ts';
import { jwksOf } from '../../support/clients/signed-client.ts';
import { claimsOf, headerOf } from '../../support/expected/claims.ts';
import { hosts } from '../../support/fixtures.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import { newAdmin } from '../../support/operators/portal.ts';
import { apps, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { tokensFor } from '../../support/visitor.ts';

const path = '/.well-known/openid-configuration';

const service = useService({ data: 'security' });

const documentOf = async (host: string, at = path) =>
  (await service.http(host, at)).json<Record<string, unknown>>();

const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'end_session_endpoint',
  'jwks_uri',
  'revocation_endpoint',
  'device_authorization_endpoint',
];

describe('the discovery document', () => {
  it('I1: is JSON whose issuer is exactly the base address', async () => {
    const answer = await service.http(hosts.a, path);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json().issuer).toBe('https://a.test');
  });

  it('I1: has the issuer that stands as iss in every token', async () => {
    const { access_token: accessToken, id_token: idToken } = await tokensFor(service, hosts.a);
    expect(claimsOf(accessToken).iss).toBe('https://a.test');
    expect(claimsOf(idToken).iss).toBe('https://a.test');
  });

  it("I2: lists absolute https addresses on the tenant's own host", async () => {
    for (const host of Object.values(hosts)) {
      const document = await documentOf(host);
      const listed = endpoints.filter((name) => name in document);
      expect(listed.slice(0, 5)).toEqual(endpoints.slice(0, 5));
      for (const name of listed) expect(document[name]).toMatch(new RegExp(`^https://${host}/api/oidc/`));
    }
  });

  it('I53: lists private_key_jwt where a client uses it, with what signs, and not elsewhere', async () => {
    const signed = { tenant: hosts.c, clientId: 'signed', name: 'Signed', type: 'confidential' };
    const keys = { authenticationMethod: 'private_key_jwt', jwks: jwksOf(await foreignPair()) };
    const names = (document: object) =>
      Object.keys(document).filter((name) => name.endsWith('signing_alg_values_supported'));
    expect(names(await documentOf(hosts.c))).toEqual(['id_token_signing_alg_values_supported']);
    await run(service, 'clients.create', { ...signed, ...keys, signingAlgorithms: ['EdDSA', 'ES256'] });
    const document = await documentOf(hosts.c);
    expect(document.token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(document.token_endpoint_auth_signing_alg_values_supported).toEqual(['ES256', 'EdDSA']);
    await run(service, 'tenants.change', { tenant: hosts.c, revocationListed: true });
    const listed = await documentOf(hosts.c);
    expect(listed.revocation_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(listed.revocation_endpoint_auth_signing_alg_values_supported).toEqual(['ES256', 'EdDSA']);
    await run(service, 'tenants.change', { tenant: hosts.c, revocationListed: false });
    await run(service, 'clients.disable', { tenant: hosts.c, clientId: 'signed' });
    expect(names(await documentOf(hosts.c))).toEqual(['id_token_signing_alg_values_supported']);
  });

  it('I3: says truthfully what is supported', async () => {
    expect(await documentOf(hosts.a)).toMatchObject({
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      subject_types_supported: ['public'],
      scopes_supported: ['openid', 'offline_access', 'profile', 'email', 'phone', 'address', 'subscriptions'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
    });
    const document = await documentOf(hosts.a);
    expect(document.id_token_signing_alg_values_supported).toContain('RS256');
    expect(document.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'refresh_token']),
    );
    expect(document.claims_supported).toEqual(
      expect.arrayContaining([
        'sub',
        'iss',
        'auth_time',
        'at_hash',
        'name',
        'given_name',
        'preferred_username',
      ]),
    );
  });

  it('I3: lists the languages that its pages speak: all, or those that the tenant chose', async () => {
    const found = async () => (await documentOf(hosts.b)).ui_locales_supported;
    expect(await found()).toEqual(languages);
    await run(service, 'tenants.change', { tenant: hosts.b, languages: ['nb', 'en'] });
    expect(await found()).toEqual(['en', 'nb']);
  });

  it('I3: claims_supported has each claim that an id_token or UserInfo ever holds', async () => {
    const supported = (await documentOf(hosts.a)).claims_supported;
    const scope = `openid ${memberScopes.join(' ')}`;
    const tokens = await tokensOf(service, hosts.a, apps.pub1, { more: { nonce: 'n', scope } });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const userinfo = (await service.http(hosts.a, '/api/oidc/me', { headers })).json<object>();
    expect(supported).toEqual(
      expect.arrayContaining([...Object.keys(claimsOf(tokens.id_token)), ...Object.keys(userinfo)]),
    );
  });

  it('I3: has no null, no empty list and no member of ours alone', async () => {
    for (const host of Object.values(hosts)) {
      for (const [name, value] of Object.entries(await documentOf(host))) {
        expect(['string', 'boolean', 'object']).toContain(typeof value);
        if (typeof value === 'object') expect(value).toEqual(expect.arrayContaining([expect.any(String)]));
        expect(name).toMatch(/^issuer$|_endpoint$|^jwks_uri$|_supported$/);
      }
    }
  });

  it('I4: lists revocation only on a tenant where a client has the device flow', async () => {
    expect((await documentOf(hosts.a)).revocation_endpoint).toBe('https://a.test/api/oidc/token/revocation');
  });

  it('I4: lists neither revocation nor the device flow on a tenant without such a client', async () => {
    const document = await documentOf(hosts.c);
    expect(document).not.toHaveProperty('revocation_endpoint');
    expect(document).not.toHaveProperty('device_authorization_endpoint');
    expect(document.grant_types_supported).toEqual(['authorization_code', 'refresh_token']);
  });

  it('decision 44: lists revocation without the device flow where the operator says so, in each face', async () => {
    const address = `https://${hosts.c}/api/oidc/token/revocation`;
    const found = async () => (await documentOf(hosts.c)).revocation_endpoint;
    const portal = await newAdmin(service, hosts.c, 'tina@example.test');
    const form = `/admin/tenants/${hosts.c}/+change`;
    const token = await adminToken(service);
    const call = (revocationListed: boolean) =>
      callApi(service, { method: 'PATCH', path: `/tenants/${hosts.c}`, token, body: { revocationListed } });
    const file = (revocationListed: boolean) => ({
      file: stringify({ tenants: [{ issuer: `https://${hosts.c}`, name: 'Tenant C', revocationListed }] }),
    });

    expect((await portal.submit(form, { revocationListed: 'true' })).status).toBe(303);
    expect(await found()).toBe(address);
    expect(await documentOf(hosts.c)).not.toHaveProperty('device_authorization_endpoint');
    expect((await portal.submit(form, { revocationListed: null })).status).toBe(303);
    expect(await found()).toBeUndefined();
    expect((await call(true)).status).toBe(200);
    expect(await found()).toBe(address);
    expect((await call(false)).status).toBe(200);
    expect(await found()).toBeUndefined();
    await run(service, 'serviceTenantFiles.apply', file(true));
    expect(await found()).toBe(address);
    await run(service, 'serviceTenantFiles.apply', file(false));
    expect(await found()).toBeUndefined();
  });

  it('I65, I50: is the same, byte for byte, at its three addresses (decision 3)', async () => {
    const { text } = await service.http(hosts.a, path);
    for (const other of [
      '/api/oidc/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
    ]) {
      expect((await service.http(hosts.a, other)).text).toBe(text);
    }
  });
});

describe('the keys', () => {
  interface Jwk {
    readonly kid: string;
    readonly kty: string;
    readonly alg: string;
    readonly [member: string]: string;
  }
  const keysOf = async (host: string) =>
    (await service.http(host, '/api/oidc/jwks')).json<{ keys: Jwk[] }>().keys;

  it('I5: are public members only, with use and alg and a kid of their own', async () => {
    const keys = await keysOf(hosts.a);
    expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256']);
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
    for (const key of keys) {
      expect(key.use).toBe('sig');
      const members = key.kty === 'RSA' ? ['n', 'e'] : ['crv', 'x', 'y'];
      expect(Object.keys(key).sort()).toEqual(['alg', 'kid', 'kty', 'use', ...members].sort());
    }
  });

  it('I5: of RSA have 2,048 bits or more', async () => {
    for (const key of (await keysOf(hosts.a)).filter(({ kty }) => kty === 'RSA')) {
      const { asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
      expect(asymmetricKeyDetails?.modulusLength).toBeGreaterThanOrEqual(2_048);
    }
  });

  it('I5: are found by the kid of every token', async () => {
    const kids = (await keysOf(hosts.a)).map(({ kid }) => kid);
    const { access_token: accessToken, id_token: idToken } = await tokensFor(service, hosts.a);
    expect(kids).toContain(headerOf(accessToken).kid);
    expect(kids).toContain(headerOf(idToken).kid);
  });
});

describe('both', () => {
  const addresses = [path, '/.well-known/oauth-authorization-server', '/api/oidc/jwks'];

  it.each(addresses)('may be cached, and %s is 304 for a client that has it already', async (address) => {
    const first = await service.http(hosts.a, address);
    expect(first.headers['cache-control']).toBe('public, max-age=300');
    const etag = first.headers.etag ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`]) {
      const again = await service.http(hosts.a, address, { headers: { 'if-none-match': known } });
      expect({ known, status: again.status, text: again.text }).toEqual({ known, status: 304, text: '' });
      expect(again.headers.etag).toBe(etag);
    }
    for (const other of ['"other"', (await service.http(hosts.b, address)).headers.etag ?? '']) {
      const again = await service.http(hosts.a, address, { headers: { 'if-none-match': other } });
      expect(again.status).toBe(200);
    }
  });

  it.each(addresses)('I50: may be read from any origin, without credentials: %s', async (address) => {
    const headers = { origin: 'https://anyone.test' };
    const read = await service.http(hosts.a, address, { headers });
    expect(read.headers['access-control-allow-origin']).toBe('*');
    expect(read.headers['access-control-allow-credentials']).toBeUndefined();
    const preflight = await service.http(hosts.a, address, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
  });

  it('I50: token, UserInfo and revocation answer the preflight of a registered origin', async () => {
    for (const address of ['/api/oidc/token', '/api/oidc/me', '/api/oidc/token/revocation']) {
      const preflight = await service.http(hosts.a, address, {
        method: 'OPTIONS',
        headers: { origin: 'https://pub1.test', 'access-control-request-method': 'POST' },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers['access-control-allow-origin']).toBe('https://pub1.test');
      expect(preflight.headers['access-control-allow-methods']).toContain('POST');
      expect(preflight.headers['access-control-allow-headers']).toContain('authorization');
      expect(preflight.headers.vary).toMatch(/origin/i);
    }
  });

  it('I50: authorization and end_session never send CORS headers', async () => {
    for (const address of ['/api/oidc/auth', '/api/oidc/session/end']) {
      for (const method of ['OPTIONS', 'GET', 'POST']) {
        const headers = { origin: 'https://pub1.test', 'access-control-request-method': 'GET' };
        const answer = await service.http(hosts.a, address, { method, headers });
        const sent = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        expect(sent).toEqual([]);
      }
    }
  });
});
