import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { hosts, secrets } from '../../../support/fixtures.ts';
import { run } from '../../../support/operators/desk.ts';
import { apiAudience, type TestService } from '../../../support/service.ts';
import { type App, apps, claimsOf, headerOf, profile, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { serviceForTest, useService } from '../../../support/use-service.ts';
import {
  authorizationParameters,
  codeFor,
  field,
  pkce,
  type Tokens,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
/** A browser whose member has consented to the third party's client. */
let consenting: Visitor;

beforeAll(async () => {
  consenting = visitor(service, hosts.a);
  await consent(consenting);
});

const third = { clientId: 'third', redirectUri: 'https://third.test/cb', secret: secrets.third };

/** Signs u1 in for the third party's client and consents, so that this browser's next request gets its code. */
const consent = async (browser: Visitor) => {
  const more = { scope: 'openid offline_access email' };
  const request = authorizationParameters(third.clientId, third.redirectUri, pkce(), more);
  const signedIn = await browser.signIn(await browser.authorize(request), 'u1@example.test');
  const question = await browser.send(String(signedIn.headers.location));
  const body = { flow: field(question, 'flow'), action: 'allow' };
  expect((await browser.send('/consent', { body })).status).toBe(303);
};

/** The left half of the SHA-256 of a token (Core §3.1.3.6). */
const atHash = (accessToken: string) =>
  createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');

const seconds = (ms: number) => Math.floor(ms / 1_000);

interface Jwk extends JsonWebKey {
  readonly kid: string;
}

/** Verifies a token with the key that its header names in the tenant's JWKS, as a client would. */
const verifies = async (jwt: string) => {
  const { kid, alg } = headerOf(jwt);
  const { keys } = (await service.http(hosts.a, '/api/oidc/jwks')).json<{ keys: Jwk[] }>();
  const jwk = keys.find((candidate) => candidate.kid === kid);
  if (jwk === undefined || jwk.alg !== alg) return false;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const at = jwt.lastIndexOf('.');
  return verify(
    'sha256',
    Buffer.from(jwt.slice(0, at)),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(jwt.slice(at + 1), 'base64url'),
  );
};

describe('the token response', () => {
  it('I27: an exchange answers JSON that is not stored, with exactly the fields of the contract', async () => {
    const { code, verifier } = await codeFor(
      visitor(service, hosts.a),
      apps.pub1.clientId,
      apps.pub1.redirectUri,
    );
    const exchange = { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
    const first = await token(service, hosts.a, exchange);
    const second = await refreshAs(service, hosts.a, apps.pub1, first.json<Tokens>().refresh_token);
    for (const answer of [first, second]) {
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.json()).toEqual({
        token_type: 'Bearer',
        expires_in: 3_600,
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        id_token: expect.any(String),
        scope: 'openid offline_access',
      });
    }
  });

  it('M15, I27: exp minus iat is expires_in and at most 14,400 s, for an exchange and for a refresh', async () => {
    for (const [app, lifetime] of [
      [apps.conf1, 3_600],
      [third, 14_400],
    ] as const) {
      const first = await tokensOf(service, hosts.a, app, { browser: consenting });
      const second = (await refreshAs(service, hosts.a, app, first.refresh_token)).json<Tokens>();
      for (const tokens of [first, second]) {
        const { iat, exp } = claimsOf(tokens.access_token);
        expect(Number(exp) - Number(iat)).toBe(lifetime);
        expect(tokens.expires_in).toBe(lifetime);
      }
    }
  });

  it('I35: tokens are visible ASCII and carry at least 128 random bits', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const second = await tokensOf(service, hosts.a, apps.pub1);
    for (const text of [first.access_token, first.id_token, String(first.refresh_token)]) {
      expect(text).toMatch(/^[\x21-\x7e]+$/);
    }
    // The last part of a refresh token is its 256-bit proof; the rest only says which sign-in it is.
    const proofs = [first, second].map((tokens) => tokens.refresh_token?.split('.').at(-1) ?? '');
    for (const proof of proofs) expect(Buffer.from(proof, 'base64url')).toHaveLength(32);
    expect(new Set(proofs).size).toBe(2);
    expect(claimsOf(first.access_token).jti).not.toBe(claimsOf(second.access_token).jti);
  });
});

describe('the access token', () => {
  it('decision 26: it is an at+jwt signed with ES256 by a published key, with the claims of RFC 9068', async () => {
    const before = seconds(service.clock.now());
    const { access_token: accessToken } = await tokensOf(service, hosts.a, apps.pub1);
    expect(headerOf(accessToken)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(await verifies(accessToken)).toBe(true);
    const claims = claimsOf(accessToken);
    expect(claims).toEqual({
      iss: 'https://a.test',
      sub: (await profile(service, hosts.a, accessToken)).json().id,
      aud: apiAudience,
      client_id: 'pub1',
      scope: 'openid offline_access',
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: expect.any(Number),
      exp: expect.any(Number),
      auth_time: expect.any(Number),
    });
    expect(claims.iat).toBeGreaterThanOrEqual(before);
    expect(claims.iat).toBeLessThanOrEqual(before + 1);
  });
});

describe('an API that reads RS256 alone', () => {
  /** Every access token that a sign-in of this app gives: by code and by refresh. */
  const accessTokensOf = async (at: TestService, app: App) => {
    const byCode = await tokensOf(at, hosts.a, app);
    const refreshed = await refreshAs(at, hosts.a, app, byCode.refresh_token);
    return [byCode, refreshed.json<Tokens>()].map(({ access_token: accessToken }) => accessToken);
  };
  const takenBy = async (at: TestService, accessToken: string) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const userinfo = await at.http(hosts.a, '/api/oidc/me', { headers });
    return [(await profile(at, hosts.a, accessToken)).status, userinfo.status];
  };

  it('decision 42: a client may have RS256; the others keep ES256, and both are taken', async () => {
    const { clientId } = apps.conf2;
    await run(service, 'clients.change', { tenant: hosts.a, clientId, accessTokenAlgorithm: 'RS256' });
    for (const [app, alg] of [
      [apps.conf2, 'RS256'],
      [apps.pub1, 'ES256'],
    ] as const) {
      for (const accessToken of await accessTokensOf(service, app)) {
        expect(headerOf(accessToken)).toEqual({ alg, typ: 'at+jwt', kid: expect.any(String) });
        expect(await verifies(accessToken)).toBe(true);
        expect(await takenBy(service, accessToken)).toEqual([200, 200]);
      }
    }
    await run(service, 'clients.change', { tenant: hosts.a, clientId, accessTokenAlgorithm: 'ES256' });
    expect(headerOf((await tokensOf(service, hosts.a, apps.conf2)).access_token).alg).toBe('ES256');
  });

  it('decision 42: so may the audience, and then every client has it', async () => {
    const other = await serviceForTest({ data: 'security', apiAlgorithm: 'RS256' });
    for (const app of [apps.pub1, apps.conf1]) {
      for (const accessToken of await accessTokensOf(other, app)) {
        expect(headerOf(accessToken)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
        expect(await takenBy(other, accessToken)).toEqual([200, 200]);
      }
    }
  });
});

describe('the id_token', () => {
  it('I32: it has the right claims, RS256 and a kid, and nothing of the profile', async () => {
    const before = seconds(service.clock.now());
    const more = { nonce: 'n-0S6_WzA2Mj', scope: 'openid offline_access profile email phone address' };
    const tokens = await tokensOf(service, hosts.a, apps.pub1, { more });
    expect(headerOf(tokens.id_token)).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
    expect(await verifies(tokens.id_token)).toBe(true);
    const access = claimsOf(tokens.access_token);
    const claims = claimsOf(tokens.id_token);
    expect(claims).toEqual({
      iss: 'https://a.test',
      sub: access.sub,
      aud: 'pub1',
      iat: access.iat,
      exp: Number(claims.iat) + 3_600,
      auth_time: access.auth_time,
      sid: access.sid,
      nonce: 'n-0S6_WzA2Mj',
      at_hash: atHash(tokens.access_token),
    });
    expect(claims.auth_time).toBeGreaterThanOrEqual(before);
    expect(claims.auth_time).toBeLessThanOrEqual(before + 1);
  });

  it('I32: at_hash is of the access token beside it, at the exchange and at each refresh', async () => {
    for (const app of [apps.pub1, apps.conf1]) {
      const first = await tokensOf(service, hosts.a, app);
      const second = (await refreshAs(service, hosts.a, app, first.refresh_token)).json<Tokens>();
      for (const { access_token: access, id_token: id } of [first, second]) {
        expect(claimsOf(id).at_hash).toBe(atHash(access));
      }
      expect(claimsOf(first.id_token).at_hash).not.toBe(claimsOf(second.id_token).at_hash);
    }
  });

  it('I12: without a nonce in the request there is none in the id_token', async () => {
    const { id_token: idToken } = await tokensOf(service, hosts.a, apps.pub1);
    expect(claimsOf(idToken)).not.toHaveProperty('nonce');
  });

  it('decision 26: a client may have ES256, and the claims of its scopes in the id_token', async () => {
    const { id_token: idToken } = await tokensOf(service, hosts.a, third, {
      browser: consenting,
      more: { scope: 'openid email' },
    });
    expect(headerOf(idToken)).toMatchObject({ alg: 'ES256', typ: 'JWT' });
    expect(await verifies(idToken)).toBe(true);
    expect(claimsOf(idToken)).toMatchObject({ email: 'u1@example.test', email_verified: true });
    expect(claimsOf(idToken)).not.toHaveProperty('name');
  });

  it('I33: a refresh gives one with the same iss, sub, aud, auth_time and sid, and a new iat', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1, { more: { nonce: 'once' } });
    service.clock.advance(10_000);
    const answer = await refreshAs(service, hosts.a, apps.pub1, first.refresh_token);
    const [old, renewed] = [claimsOf(first.id_token), claimsOf(answer.json<Tokens>().id_token)];
    const { iss, sub, aud, auth_time, sid } = old;
    expect(renewed).toMatchObject({ iss, sub, aud, auth_time, sid });
    expect(Number(renewed.iat)).toBeGreaterThanOrEqual(Number(old.iat) + 10);
  });
});
