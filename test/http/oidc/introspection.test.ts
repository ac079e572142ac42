import { createPublicKey } from 'node:crypto';
import { importJWK, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { foreignPair, privateJwkOf } from '../../support/clients/foreign-jwt.ts';
import { asSigned, assertionOf, registerSigned } from '../../support/clients/signed-client.ts';
import { claimsOf, headerOf } from '../../support/expected/claims.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import { adminToken } from '../../support/operators/api.ts';
import { conf1, offline, path, useIntrospection } from '../../support/requests/introspect.ts';
import { apps, expectError, profile, revoke, tokensOf } from '../../support/tokens.ts';
import { serviceForTest } from '../../support/use-service.ts';

const { service, change, ask, introspect } = useIntrospection();

describe('introspection', () => {
  it('I52: tells of an access token what it says, and never a name', async () => {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    const { iss, sub, aud, client_id, scope, iat, exp, jti } = claimsOf(token);
    const told = { iss, sub, aud, client_id, scope, iat, exp, jti };
    expect(await introspect(token)).toEqual({ active: true, token_type: 'Bearer', ...told });
  });

  it('I52: tells the owner of a refresh token and how long it lives, for the token endpoint alone', async () => {
    const { refresh_token: token, access_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    const issuer = `https://${hosts.a}`;
    const now = Math.floor(service.clock.now() / 1_000);
    const answer = await introspect(token);
    expect(answer).toEqual({
      active: true,
      token_type: 'refresh_token',
      iss: issuer,
      aud: issuer,
      sub: claimsOf(access_token).sub,
      client_id: 'conf1',
      scope: 'openid offline_access profile',
      iat: expect.closeTo(now, -1),
      exp: expect.closeTo(now + 90 * 86_400, -1),
    });
  });

  it('I52: a sign-in that ended takes its refresh token along, and leaves its access token', async () => {
    const { refresh_token, access_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    await revoke(service, hosts.a, { token: String(refresh_token), ...conf1 });
    expect(await introspect(refresh_token)).toEqual({ active: false });
    expect(await introspect(access_token)).toMatchObject({ active: true });
    service.clock.advance(3_600_000);
    expect(await introspect(access_token)).toEqual({ active: false });
  });

  it('I52: is signed where that is asked for, by the algorithm of the client', async () => {
    const { access_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    const accept = { accept: 'application/token-introspection+jwt' };
    const answer = await ask({ token: access_token, ...conf1 }, accept);
    expect(answer.headers['content-type']).toBe('application/token-introspection+jwt');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(headerOf(answer.text)).toMatchObject({ typ: 'token-introspection+jwt', alg: 'RS256' });
    const { keys } = (await service.http(hosts.a, '/api/oidc/jwks')).json<{ keys: { kid: string }[] }>();
    const jwk = keys.find(({ kid }) => kid === headerOf(answer.text).kid);
    const { payload } = await jwtVerify(answer.text, createPublicKey({ key: jwk as never, format: 'jwk' }), {
      issuer: `https://${hosts.a}`,
      audience: 'conf1',
      typ: 'token-introspection+jwt',
      currentDate: new Date(service.clock.now()),
    });
    expect(Object.keys(payload).toSorted()).toEqual(['aud', 'iat', 'iss', 'token_introspection']);
    expect(payload.token_introspection).toEqual(await introspect(access_token));
    const dead = await ask({ token: 'x', ...conf1 }, accept);
    expect(claimsOf(dead.text).token_introspection).toEqual({ active: false });
    for (const json of ['*/*', 'application/json', `${accept.accept};q=0`, 'application/*']) {
      const plain = await ask({ token: access_token, ...conf1 }, { accept: json });
      expect(plain.headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('N11: a signed answer is no token', async () => {
    const { access_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    const accept = { accept: 'application/token-introspection+jwt' };
    const answer = await ask({ token: access_token, ...conf1 }, accept);
    expect((await profile(service, hosts.a, answer.text)).status).toBe(401);
    expect(await introspect(answer.text)).toEqual({ active: false });
  });

  it('I52: is in discovery where a client has it, and only there', async () => {
    const documentOf = async (host: string) =>
      (await service.http(host, '/.well-known/openid-configuration')).json();
    const names = (document: object) =>
      Object.keys(document).filter((name) => name.includes('introspection'));
    expect(names(await documentOf(hosts.b))).toEqual([]);
    expect(await documentOf(hosts.a)).toMatchObject({
      introspection_endpoint: `https://${hosts.a}${path}`,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      introspection_signing_alg_values_supported: ['RS256', 'ES256'],
    });
  });

  it('I52, I53: oauth4webapi asks with a key, for itself', async () => {
    const pair = await foreignPair();
    const own = await serviceForTest({ data: 'security' });
    own.clock.set(Date.now());
    await registerSigned(own, hosts.a, 'signed', [pair], { introspection: true });
    const issuer = `https://${hosts.a}`;
    const client = { client_id: 'signed' };
    const key = await importJWK(privateJwkOf(pair), 'ES256');
    const auth = oauth.PrivateKeyJwt({ key: key as never, kid: pair.publicJwk.kid });
    const fetched = async (
      url: string,
      { method, body, headers }: { method: string; body?: unknown; headers?: unknown },
    ) => {
      const { pathname } = new URL(url);
      const sent = {
        method,
        headers: headers as Record<string, string>,
        ...(body === undefined ? {} : { body: String(body) }),
      };
      const answer = await own.http(hosts.a, pathname, sent);
      const told = { 'content-type': String(answer.headers['content-type']) };
      return new Response(answer.text, { status: answer.status, headers: told });
    };
    const options = { [oauth.customFetch]: fetched as never };
    const found = await oauth.discoveryRequest(new URL(issuer), options);
    const as = await oauth.processDiscoveryResponse(new URL(issuer), found);
    expect(as.introspection_endpoint_auth_methods_supported).toContain('private_key_jwt');
    const { access_token } = await tokensOf(own, hosts.a, apps.conf1, offline);
    const answer = await oauth.introspectionRequest(as, client, auth, access_token, options);
    expect(await oauth.processIntrospectionResponse(as, client, answer)).toMatchObject({
      active: true,
      client_id: 'conf1',
    });
    const dead = await oauth.introspectionRequest(as, client, auth, 'x', options);
    expect(await oauth.processIntrospectionResponse(as, client, dead)).toEqual({ active: false });
  });
});

describe('who may introspect', () => {
  it('N1: only with right credentials', async () => {
    expectError(await ask({ token: 'x' }), 400, 'invalid_request');
    expectError(await ask({ ...conf1 }), 400, 'invalid_request');
    expectError(await ask({ token: 'x', client_id: 'conf1' }), 401, 'invalid_client');
    expectError(await ask({ token: 'x', ...conf1, client_secret: 'x' }), 401, 'invalid_client');
    const { access_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    const bearer = { authorization: `Bearer ${access_token}` };
    expectError(await ask({ token: access_token }, bearer), 401, 'invalid_token');
    expect((await service.http(hosts.a, `${path}?token=x`)).status).toBe(405);
  });

  it('N2: no client without the setting, and no public one has it', async () => {
    const { access_token } = await tokensOf(service, hosts.a, apps.conf2, offline);
    const conf2 = { client_id: 'conf2', client_secret: secrets.conf2 };
    expectError(await ask({ token: access_token, ...conf2 }), 400, 'unauthorized_client');
    expectError(await ask({ token: access_token, client_id: 'pub1' }), 400, 'unauthorized_client');
    await expect(change('pub1', { introspection: true })).rejects.toThrow(
      'a public client cannot prove who asks',
    );
  });

  it('I52: a client proves who it is by an assertion too', async () => {
    const pair = await foreignPair();
    await registerSigned(service, hosts.a, 'signed', [pair], { introspection: true });
    const { access_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    const sent = asSigned(assertionOf(service, pair));
    expect(await introspect(access_token, sent)).toMatchObject({ active: true });
    expectError(await ask({ token: access_token, ...sent }), 401, 'invalid_client');
  });

  it('N8: a token of the admin API with the permission, on its own tenant', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.conf2, offline);
    const as = async (facts: object, host: string = hosts.a) => {
      const authorization = `Bearer ${await adminToken(service, facts)}`;
      return ask({ token: String(tokens.refresh_token) }, { authorization }, host);
    };
    const permissions = ['tokens:introspect'];
    for (const facts of [{ permissions }, { permissions, host: hosts.a }]) {
      expect((await as(facts)).json()).toMatchObject({ active: true, client_id: 'conf2' });
    }
    expect((await as({ permissions }, hosts.b)).json()).toEqual({ active: false });
    expectError(await as({ permissions: ['tokens:read', 'tokens:write'] }), 403, 'insufficient_scope');
    expectError(await as({ permissions, host: hosts.b }), 403, 'insufficient_scope');
    expectError(await as({ permissions, revoked: true }), 401, 'invalid_token');
  });
});
