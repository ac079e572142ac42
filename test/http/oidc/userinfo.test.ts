import { describe, expect, it } from 'vitest';
import { signToken } from '../../../src/secrets/signing.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Ask } from '../../support/http.ts';
import { apps, claimsOf, expectBadToken, expectError, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import type { Tokens } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const development = useService({ data: 'development' });

const everyScope = 'openid offline_access profile email phone address';

const userinfo = (ask: Ask) => service.http(hosts.a, '/api/oidc/me', ask);
const bearer = (token: string, scheme = 'Bearer') => ({ authorization: `${scheme} ${token}` });

describe('the ways to ask', () => {
  it.each([
    ['GET with a bearer token', (token: string): Ask => ({ headers: bearer(token) })],
    ['POST with a bearer token', (token: string): Ask => ({ method: 'POST', headers: bearer(token) })],
    ['POST with the form field access_token', (token: string): Ask => ({ body: { access_token: token } })],
    ['the scheme in lower case', (token: string): Ask => ({ headers: bearer(token, 'bearer') })],
    ['the scheme in upper case', (token: string): Ask => ({ headers: bearer(token, 'BEARER') })],
  ])("I36: %s gives JSON with the id_token's sub", async (_way, ask) => {
    const tokens = await tokensOf(service, hosts.a, apps.pub1);
    const answer = await userinfo(ask(tokens.access_token));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({ sub: claimsOf(tokens.id_token).sub });
  });
});

describe('the claims', () => {
  const claims = {
    profile: {
      name: 'Member 1',
      nickname: 'M1',
      preferred_username: 'M1',
      picture: 'https://example.test/1.png',
      locale: 'en',
      updated_at: expect.any(Number),
    },
    email: { email: 'u1@example.test', email_verified: true },
    phone: { phone_number: '+4790000001', phone_number_verified: true },
    address: {
      address: { street_address: 'Street 1', postal_code: '0010', locality: 'OSLO', country: 'NO' },
    },
  };

  it.each(Object.entries(claims))(
    'I37: the scope %s opens its own claims and no others',
    async (scope, own) => {
      const more = { scope: `openid ${scope}` };
      const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1, { more });
      expect((await userinfo({ headers: bearer(token) })).json()).toEqual({
        sub: claimsOf(token).sub,
        ...own,
      });
    },
  );

  it('I37: a refresh that narrows the scope narrows the claims', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1, { more: { scope: everyScope } });
    const narrowed = await refreshAs(service, hosts.a, apps.pub1, first.refresh_token, {
      scope: 'openid offline_access email',
    });
    const { access_token: token } = narrowed.json<Tokens>();
    expect((await userinfo({ headers: bearer(token) })).json()).toEqual({
      sub: claimsOf(token).sub,
      ...claims.email,
    });
  });

  it.each([
    ['dee@example.com', { name: 'Dee 🦊 Fox', phone_number: '+442079460958', phone_number_verified: true }],
    [
      'huda@example.com',
      {
        name: 'هدى منصور',
        given_name: 'هدى',
        family_name: 'منصور',
        locale: 'ar',
        phone_number: '+971501234567',
        phone_number_verified: true,
        address: { street_address: 'شارع الشيخ زايد', locality: 'دبي', country: 'AE' },
      },
    ],
    [
      'kim@example.com',
      {
        name: '김민준',
        phone_number: '+821012345678',
        phone_number_verified: true,
        address: { locality: '서울', country: 'KR' },
      },
    ],
    [
      'gro+tv@example.com',
      {
        name: 'Gro Li',
        given_name: 'Gro',
        family_name: 'Li',
        nickname: 'Gro "the TV" Li',
        preferred_username: 'Gro "the TV" Li',
        picture: 'https://example.com/avatars/gro.png',
        phone_number: '+4740000003',
        phone_number_verified: true,
        address: { country: 'NO' },
      },
    ],
  ])('I37: what %s has not given is left out, neither null nor empty', async (email, given) => {
    const host = `localhost:${development.port}`;
    const more = { scope: everyScope };
    const { access_token: token } = await tokensOf(development, host, apps.spa, { email, more });
    const answer = await development.http(host, '/api/oidc/me', { headers: bearer(token) });
    expect(answer.json()).toEqual({
      sub: claimsOf(token).sub,
      email,
      email_verified: true,
      updated_at: expect.any(Number),
      ...given,
    });
  });
});

describe('what is refused', () => {
  it('I38: no token is 401 with WWW-Authenticate: Bearer and no error code', async () => {
    for (const ask of [{}, { method: 'POST' }, { body: { access_token: '' } }]) {
      const answer = await userinfo(ask);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="memberdoor"');
      expect(answer.json()).not.toHaveProperty('error');
    }
  });

  it('I38: a token in the address is no token', async () => {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const answer = await service.http(hosts.a, `/api/oidc/me?access_token=${token}`);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="memberdoor"');
  });

  it('I38: a token that is none, of another tenant or expired is 401 invalid_token', async () => {
    const { access_token: ofB } = await tokensOf(service, hosts.b, apps.pub1);
    expectBadToken(await userinfo({ headers: bearer(ofB) }));
    const { access_token: own } = await tokensOf(service, hosts.a, apps.pub1);
    for (const token of ['x', 'a.b.c', `${own.slice(0, -4)}AAAA`]) {
      expectBadToken(await userinfo({ headers: bearer(token) }));
      expectBadToken(await userinfo({ body: { access_token: token } }));
    }
    expect((await userinfo({ headers: bearer(own) })).status).toBe(200);
    service.clock.advance(3_600_000);
    expectBadToken(await userinfo({ headers: bearer(own) }));
  });

  it('I38: a token without the scope openid is 403 insufficient_scope', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1, { more: { scope: everyScope } });
    const scope = 'offline_access email';
    const narrowed = await refreshAs(service, hosts.a, apps.pub1, first.refresh_token, { scope });
    const answer = await userinfo({ headers: bearer(narrowed.json<Tokens>().access_token) });
    expectError(answer, 403, 'insufficient_scope');
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="insufficient_scope"/);
  });

  it('I38: two tokens in two places are 400 invalid_request', async () => {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const answer = await userinfo({ headers: bearer(token), body: { access_token: token } });
    expectError(answer, 400, 'invalid_request');
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_request"/);
  });

  it('I38: two tokens in the form are 400 invalid_request', async () => {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const body = new URLSearchParams([
      ['access_token', token],
      ['access_token', token],
    ]);
    expectError(await userinfo({ body }), 400, 'invalid_request');
  });

  it('M8: an id_token, though signed by the tenant, is no access token', async () => {
    const { id_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    expectBadToken(await userinfo({ headers: bearer(token) }));
  });

  it('M10: a token for another audience is 401 invalid_token', async () => {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const key = service.tenants.byHost(hosts.a)?.keys.find(({ algorithm }) => algorithm === 'ES256');
    if (key === undefined) throw new Error('no key');
    const elsewhere = await signToken(key, 'at+jwt', { ...claimsOf(token), aud: 'https://other.test' });
    expectBadToken(await userinfo({ headers: bearer(elsewhere) }));
  });
});
