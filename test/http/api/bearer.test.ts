import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepareSigningKey } from '../../../src/operations/tenant/keys.ts';
import { type SigningKey, signToken, type TokenType } from '../../../src/secrets/signing.ts';
import { insertSigningKey } from '../../../src/storage/tenant.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import {
  apps,
  claimsOf,
  expectBadToken,
  headerOf,
  profile,
  profilePath,
  refreshAs,
  revoke,
  tokensOf,
} from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { codeFor, type Tokens, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
/** Tokens of u1 at a.test, good for an hour of the test clock. */
let good: Tokens;
let accessKey: SigningKey;

beforeAll(async () => {
  good = await tokensOf(service, hosts.a, apps.conf1);
  accessKey = keyOf(hosts.a, 'ES256');
});

function keyOf(host: string, algorithm: 'ES256' | 'RS256'): SigningKey {
  const key = service.tenants.byHost(host)?.keys.find((candidate) => candidate.algorithm === algorithm);
  if (key === undefined) throw new Error(`${host} has no ${algorithm} key`);
  return key;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payload = () => String(good.access_token.split('.')[1]);

/** A token of the right claims, made by hand. */
const forge = (header: object, sign: (input: string) => string) => {
  const input = `${base64url({ typ: 'at+jwt', kid: accessKey.kid, ...header })}.${payload()}`;
  return `${input}.${sign(input)}`;
};

/** A token with a genuine signature of the tenant's key, over other claims. */
const signed = (claims: object, key = accessKey, type = 'at+jwt') =>
  signToken(key, type as TokenType, { ...claimsOf(good.access_token), ...claims });

const expectRefused = async (token: string) => expectBadToken(await profile(service, hosts.a, token));

const ask = (headers: Record<string, string | string[]>, query = ''): Promise<Answer> =>
  service.http(hosts.a, `${profilePath}${query}`, { headers });

describe('how the token is sent', () => {
  it('M1: a valid access token in the Authorization header is accepted, the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await ask({ authorization: `${scheme} ${good.access_token}` })).status).toBe(200);
    }
  });

  const token = () => good.access_token;
  it.each([
    ['no header', () => ask({})],
    ['Basic', () => ask({ authorization: `Basic ${Buffer.from('conf1:x').toString('base64')}` })],
    ['an empty Bearer', () => ask({ authorization: 'Bearer' })],
    ['an empty Bearer with a space', () => ask({ authorization: 'Bearer ' })],
    ['the token alone', () => ask({ authorization: token() })],
    ['two headers', () => ask({ authorization: [`Bearer ${token()}`, `Bearer ${token()}`] })],
    ['a good and a bad header', () => ask({ authorization: [`Bearer ${token()}`, 'Basic eDp4'] })],
    ['?access_token=', () => ask({}, `?access_token=${token()}`)],
    ['a cookie', () => ask({ cookie: `access_token=${token()}` })],
  ])('M2: %s is 401 with WWW-Authenticate: Bearer', async (_way, send) => {
    const answer = await send();
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('the signature', () => {
  it.each(['none', 'None', 'nOnE', 'NONE', ''])('M4: alg "%s" is 401', async (alg) => {
    await expectRefused(forge({ alg }, () => ''));
    await expectRefused(forge({ alg }, () => String(good.access_token.split('.')[2])));
  });

  it('M4: an empty, a cut and a changed signature are 401', async () => {
    const [header, claims, signature = ''] = good.access_token.split('.');
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    for (const other of ['', signature.slice(0, -8), flipped, Buffer.alloc(64).toString('base64url')]) {
      await expectRefused(`${header}.${claims}.${other}`);
    }
    await expectRefused(`${header}.${claims}`);
  });

  it.each([
    ['the public key as PEM', (key: KeyObject) => key.export({ type: 'spki', format: 'pem' })],
    ['the public key as DER', (key: KeyObject) => key.export({ type: 'spki', format: 'der' })],
    ['the public JWK', (key: KeyObject) => JSON.stringify(key.export({ format: 'jwk' }))],
    ['the published JWK', () => JSON.stringify(accessKey.publicJwk)],
    ['an empty key', () => ''],
    ['the client_secret', () => secrets.conf1],
  ])('M5: HS256 with %s is 401', async (_kind, secretOf) => {
    for (const { kid, privateKey } of [accessKey, keyOf(hosts.a, 'RS256')]) {
      const secret = secretOf(createPublicKey(privateKey));
      const mac = (input: string) => createHmac('sha256', secret).update(input).digest('base64url');
      await expectRefused(forge({ alg: 'HS256', kid }, mac));
    }
  });

  it("M4: another tenant's key under the right kid is 401, and so is a key sent along in the header", async () => {
    const foreign = keyOf(hosts.b, 'ES256');
    await expectRefused(await signed({}, { ...foreign, kid: accessKey.kid }));
    await expectRefused(await signed({}, foreign));
    const [, , signature] = (await signed({}, foreign)).split('.');
    await expectRefused(forge({ alg: 'ES256', jwk: foreign.publicJwk }, () => String(signature)));
  });
});

describe('the kind of token', () => {
  it('M8: an id_token, a refresh token, a code and garbage are 401', async () => {
    const { code } = await codeFor(visitor(service, hosts.a), 'pub1', apps.pub1.redirectUri);
    for (const token of [good.id_token, String(good.refresh_token), code, 'x', 'a.b.c', '..', '{}.{}.{}']) {
      await expectRefused(token);
    }
  });

  it('M8: the right claims with another typ, or with another kid, are 401', async () => {
    for (const type of ['JWT', 'logout+jwt', 'dpop+jwt', '']) {
      await expectRefused(await signed({}, accessKey, type));
    }
    await expectRefused(await signed({}, { ...accessKey, kid: '' }));
    await expectRefused(await signed({}, { ...accessKey, kid: 'another' }));
  });

  it('M8: a genuine token that lacks a claim is 401', async () => {
    for (const claim of ['iss', 'sub', 'aud', 'client_id', 'scope', 'sid', 'iat', 'exp']) {
      await expectRefused(await signed({ [claim]: undefined }));
    }
    expect((await profile(service, hosts.a, await signed({}))).status).toBe(200);
  });

  it.each([
    ['a trailing slash', 'https://a.test/'],
    ['another tenant', 'https://b.test'],
    ['an upper-case host', 'https://A.TEST'],
    ['http', 'http://a.test'],
    ['a port', 'https://a.test:443'],
    ['a stranger', 'https://evil.test'],
    ['a list', ['https://a.test']],
  ])('M10: iss with %s is 401', async (_kind, iss) => {
    await expectRefused(await signed({ iss }));
  });

  it.each(['urn:memberdoor:api:other', 'conf1', ''])('M10: the audience "%s" is 401', async (aud) => {
    await expectRefused(await signed({ aud }));
  });
});

describe('its life', () => {
  it('M14: after its refresh token was revoked an offline access token works until exp', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.pub1);
    await revoke(service, hosts.a, { client_id: 'pub1', token: String(tokens.refresh_token) });
    expect((await profile(service, hosts.a, tokens.access_token)).status).toBe(200);
  });

  it('M14: after a reuse was detected an offline access token works until exp, and not a second longer', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const next = await refreshAs(service, hosts.a, apps.pub1, first.refresh_token);
    await refreshAs(service, hosts.a, apps.pub1, first.refresh_token);
    const { access_token: token } = next.json<Tokens>();
    const exp = Number(claimsOf(token).exp) * 1_000;
    service.clock.set(exp - 1_000);
    expect((await profile(service, hosts.a, token)).status).toBe(200);
    service.clock.set(exp);
    await expectRefused(token);
  });
});

describe('M16: rotation of the signing key', () => {
  const kidsOf = async () => {
    const { keys } = (await service.http(hosts.a, '/api/oidc/jwks')).json<{ keys: { kid: string }[] }>();
    return keys.map(({ kid }) => kid);
  };
  const day = 24 * 3_600_000;

  it('a new key is published a day before it signs; tokens of the old one work until their exp', async () => {
    const tenantId = String(service.tenants.byHost(hosts.a)?.id);
    const oldKids = await kidsOf();
    const begunAt = service.clock.now();
    const row = await prepareSigningKey(tenantId, 'ES256', service.vault, begunAt);
    await service.store.transaction(async (tx) => {
      await insertSigningKey(tx, row);
      await service.tenants.reload(tx);
    });
    expect(await kidsOf()).toEqual(expect.arrayContaining([...oldKids, row.kid]));
    expect(await kidsOf()).toHaveLength(oldKids.length + 1);

    service.clock.set(begunAt + day - 60_000);
    const { access_token: old } = await tokensOf(service, hosts.a, apps.pub1);
    expect(headerOf(old).kid).toBe(accessKey.kid);

    service.clock.set(begunAt + day);
    const { access_token: fresh } = await tokensOf(service, hosts.a, apps.pub1);
    expect(headerOf(fresh).kid).toBe(row.kid);
    expect(await kidsOf()).toEqual(expect.arrayContaining(oldKids));

    for (const token of [old, fresh]) expect((await profile(service, hosts.a, token)).status).toBe(200);
    service.clock.set(Number(claimsOf(old).exp) * 1_000 - 1_000);
    expect((await profile(service, hosts.a, old)).status).toBe(200);
    service.clock.set(Number(claimsOf(old).exp) * 1_000);
    await expectRefused(old);
    expect((await profile(service, hosts.a, fresh)).status).toBe(200);
  });
});
