import { beforeAll, describe, expect, it } from 'vitest';
import {
  boundTokens,
  type DpopKey,
  dpopKey,
  exchangeWith,
  type ProofTarget,
  proofOf,
  refreshWith,
  setClient,
  tokenProof,
} from '../../../support/clients/dpop.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { apps, expectError, profile, profilePath } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import type { Tokens } from '../../../support/visitor.ts';

const service = useService({ data: 'security', apiHost: 'api.test' });
const at = hosts.a;
const [key, other] = await Promise.all([dpopKey(), dpopKey()]);
const userInfo = '/api/oidc/me';
let token = '';

beforeAll(async () => {
  await setClient(service, at, 'pub1', { dpop: 'allowed' });
  token = (await boundTokens(service, at, apps.pub1, key)).access_token;
});

/** A proof for a call of this service with the bound token. */
const proof = (path: string, changes: Partial<ProofTarget> = {}, of: DpopKey = key) =>
  proofOf(of, {
    method: 'GET',
    url: `https://${at}${path}`,
    now: service.clock.now(),
    accessToken: token,
    ...changes,
  });

const call = (path: string, sent: string | string[] | null, bearer = `DPoP ${token}`): Promise<Answer> =>
  service.http(at, path, { headers: { authorization: bearer, ...(sent === null ? {} : { dpop: sent }) } });

/** Without the document that the member API names besides (interop 64). */
const challenge = ({ headers }: Answer) =>
  String(headers['www-authenticate']).replace(/, resource_metadata="[^"]*"/, '');

describe.each([userInfo, profilePath])('%s', (path) => {
  it('I49: answers a bound token with its proof', async () => {
    const answer = await call(path, proof(path));
    expect(answer.status, answer.text).toBe(200);
    expect((await call(path, proof(path), `dpop ${token}`)).status).toBe(200);
  });

  it('I49: answers HEAD with a proof for HEAD', async () => {
    const head = (sent: string) =>
      service.http(at, path, { method: 'HEAD', headers: { authorization: `DPoP ${token}`, dpop: sent } });
    expect((await head(proof(path, { method: 'HEAD' }))).status).toBe(200);
    expect((await head(proof(path))).status).toBe(401);
  });

  it('I49, DP24: refuses a bound token as a bearer token, with its proof or without', async () => {
    for (const sent of [null, proof(path)]) {
      const answer = await call(path, sent, `Bearer ${token}`);
      expectError(answer, 401, 'invalid_token');
      expect(challenge(answer)).toMatch(/^DPoP .*error="invalid_token".*algs="ES256 PS256 EdDSA RS256"$/);
    }
  });

  it('I49, DP25: refuses a bound token with the proof of another key', async () => {
    const answer = await call(path, proof(path, {}, other));
    expectError(answer, 401, 'invalid_token');
    expect(challenge(answer)).toMatch(/^DPoP .*error="invalid_token"/);
  });

  it('I49, DP26: refuses a token that is bound to no key by the scheme DPoP', async () => {
    const unbound = (await exchangeWith(service, at, apps.pub1, null)).json<Tokens>().access_token;
    const answer = await call(path, proof(path, { accessToken: unbound }), `DPoP ${unbound}`);
    expectError(answer, 401, 'invalid_token');
    expect((await call(path, proof(path, { accessToken: unbound }), `Bearer ${unbound}`)).status).toBe(200);
  });

  it.each([
    ['DP27: none at all', () => null],
    ['DP27: two', () => [proof(path), proof(path)]],
    ['DP27: garbage', () => 'x.y.z'],
    ['DP18: the access token itself', () => token],
    ['DP28: one without the hash of the token', () => proof(path, { claims: { ath: undefined } })],
    ['DP28: one with the hash of another token', () => proof(path, { accessToken: 'another' })],
    ['DP28: one with the token itself for its hash', () => proof(path, { claims: { ath: token } })],
    ['DP12: one for POST', () => proof(path, { method: 'POST' })],
    ['DP13: one for the token endpoint', () => proof('/api/oidc/token')],
    ['DP13: one for the host of the API', () => proof(path, { url: `https://api.test${path}` })],
    ['DP13: one for another tenant', () => proof(path, { url: `https://${hosts.b}${path}` })],
    ['DP15: one that is too old', () => proof(path, { now: service.clock.now() - 62_000 })],
  ])('%s is no proof', async (_what, make) => {
    const answer = await call(path, make());
    expectError(answer, 401, 'invalid_dpop_proof');
    expect(challenge(answer)).toMatch(/^DPoP .*error="invalid_dpop_proof".*algs="/);
  });

  it('DP19: takes a proof once', async () => {
    const sent = proof(path);
    expect((await call(path, sent)).status).toBe(200);
    expectError(await call(path, sent), 401, 'invalid_dpop_proof');
  });

  it('DP20: knows a proof that was used after a restart', async () => {
    const sent = proof(path);
    expect((await call(path, sent)).status).toBe(200);
    await service.restart();
    expectError(await call(path, sent), 401, 'invalid_dpop_proof');
    expect((await call(path, proof(path))).status).toBe(200);
  });

  it('DP21: takes a proof that is sent 200 times at once exactly once', async () => {
    const sent = proof(path);
    const answers = await Promise.all(Array.from({ length: 200 }, () => call(path, sent)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(199);
  });

  it('I49: says that it takes bound tokens where none was sent', async () => {
    const answer = await service.http(at, path);
    expect(answer.status).toBe(401);
    expect(challenge(answer)).toBe('Bearer realm="memberdoor", DPoP algs="ES256 PS256 EdDSA RS256"');
  });

  it('I49: knows no scheme DPoP where no client has bound tokens', async () => {
    const answer = await service.http(hosts.c, path, { headers: { authorization: 'DPoP x', dpop: 'y' } });
    expect([answer.status, challenge(answer)]).toEqual([401, 'Bearer realm="memberdoor"']);
  });
});

describe('bound tokens', () => {
  it('I49: work at the API’s own host, by its address', async () => {
    const ask = (url: string) =>
      service.http('api.test', profilePath, {
        headers: { authorization: `DPoP ${token}`, dpop: proof(profilePath, { url }) },
      });
    expect((await ask(`https://api.test${profilePath}`)).status).toBe(200);
    expectError(await ask(`https://${at}${profilePath}`), 401, 'invalid_dpop_proof');
  });

  it('I49: go on until they expire where their client gets bearer tokens from now on', async () => {
    await setClient(service, at, 'pub1', { dpop: 'off' });
    const [bound, bearer] = [await call(userInfo, proof(userInfo)), await profile(service, at, token)];
    await setClient(service, at, 'pub1', { dpop: 'allowed' });
    expect(bound.status, bound.text).toBe(200);
    expectError(bearer, 401, 'invalid_token');
  });

  it('I49: need no proof of a bearer token’s call, whatever is in the header', async () => {
    const { access_token } = (await exchangeWith(service, at, apps.pub2, null)).json<Tokens>();
    for (const sent of ['garbage', proof(userInfo)]) {
      expect((await call(userInfo, sent, `Bearer ${access_token}`)).status).toBe(200);
    }
  });

  it('DP29: are no tokens of the admin API', async () => {
    const answer = await call('/api/v1/admin/tenants', proof('/api/v1/admin/tenants'));
    expect(answer.status).toBe(401);
    expect(challenge(answer)).not.toContain('DPoP');
  });

  it('DP30: in a form are refused as bearer tokens are', async () => {
    const answer = await service.http(at, userInfo, {
      body: { access_token: token },
      headers: { dpop: proof(userInfo, { method: 'POST' }) },
    });
    expectError(answer, 401, 'invalid_token');
  });
});

describe('nonces', () => {
  const tokenNonce = (of: Answer) => String(of.headers['dpop-nonce']);
  beforeAll(() => setClient(service, at, 'conf1', { dpop: 'required', dpopNonce: true }));

  /** Tokens of conf1, and the nonce that it was given. */
  async function withNonce() {
    const first = await exchangeWith(service, at, apps.conf1, tokenProof(service, at, key));
    expectError(first, 400, 'use_dpop_nonce');
    const nonce = tokenNonce(first);
    const sent = tokenProof(service, at, key, { claims: { nonce } });
    const second = await exchangeWith(service, at, apps.conf1, sent);
    expect(second.status, second.text).toBe(200);
    return { nonce, answer: second, tokens: second.json<Tokens>() };
  }

  it('I59: are asked for at the token endpoint, and a proof that carries one is taken', async () => {
    const { nonce, answer, tokens } = await withNonce();
    expect(nonce).toMatch(/^[\w-]{43}$/);
    expect(answer.headers).not.toHaveProperty('dpop-nonce');
    expect(tokens.token_type).toBe('DPoP');
  });

  it('I59: change, and a client is told the next before the last ends', async () => {
    const { nonce, tokens } = await withNonce();
    const slot = 150_000;
    service.clock.set(Math.ceil(service.clock.now() / slot) * slot + 1_000);
    const late = tokenProof(service, at, key, { claims: { nonce } });
    const answer = await refreshWith(service, at, apps.conf1, tokens.refresh_token, late);
    expect(answer.status, answer.text).toBe(200);
    expect(tokenNonce(answer)).toMatch(/^[\w-]{43}$/);
    expect(tokenNonce(answer)).not.toBe(nonce);
    service.clock.advance(slot);
    const { refresh_token } = answer.json<Tokens>();
    const over = tokenProof(service, at, key, { claims: { nonce } });
    expectError(await refreshWith(service, at, apps.conf1, refresh_token, over), 400, 'use_dpop_nonce');
    const next = tokenProof(service, at, key, { claims: { nonce: tokenNonce(answer) } });
    expect((await refreshWith(service, at, apps.conf1, refresh_token, next)).status).toBe(200);
  });

  it('I59: are the same after a restart', async () => {
    const { nonce, tokens } = await withNonce();
    await service.restart();
    const sent = tokenProof(service, at, key, { claims: { nonce } });
    expect((await refreshWith(service, at, apps.conf1, tokens.refresh_token, sent)).status).toBe(200);
  });

  it.each([
    ['made up', 'x'.repeat(43)],
    ['empty', ''],
    ['that are no text', 7],
  ])('DP31: %s are refused, and use nothing up', async (_what, wrong) => {
    const { nonce, tokens } = await withNonce();
    const bad = tokenProof(service, at, key, { claims: { nonce: wrong } });
    const refused = await refreshWith(service, at, apps.conf1, tokens.refresh_token, bad);
    expect([400, refused.status]).toEqual([refused.status, 400]);
    const good = tokenProof(service, at, key, { claims: { nonce } });
    expect((await refreshWith(service, at, apps.conf1, tokens.refresh_token, good)).status).toBe(200);
  });

  it('DP32: of another tenant are refused', async () => {
    await setClient(service, hosts.b, 'conf1', { dpop: 'required', dpopNonce: true });
    const nonce = tokenNonce(
      await exchangeWith(service, hosts.b, apps.conf1, tokenProof(service, hosts.b, key)),
    );
    const sent = tokenProof(service, at, key, { claims: { nonce } });
    expectError(await exchangeWith(service, at, apps.conf1, sent), 400, 'use_dpop_nonce');
  });

  it.each([userInfo, profilePath])('I59: are asked for at %s', async (path) => {
    const { nonce, tokens } = await withNonce();
    const ask = (claims: object) => {
      const { access_token: accessToken } = tokens;
      const sent = proof(path, { accessToken, claims });
      return call(path, sent, `DPoP ${accessToken}`);
    };
    const first = await ask({});
    expectError(first, 401, 'use_dpop_nonce');
    expect(challenge(first)).toMatch(/^DPoP .*error="use_dpop_nonce"/);
    expect(tokenNonce(first)).toBe(nonce);
    const second = await ask({ nonce });
    expect(second.status, second.text).toBe(200);
    expect(second.headers).not.toHaveProperty('dpop-nonce');
    service.clock.advance(150_000);
    const third = await ask({ nonce });
    expect([third.status, third.headers['dpop-nonce'] !== undefined]).toEqual([200, true]);
  });

  it('I59: are not asked of clients that need none', async () => {
    const answer = await call(userInfo, proof(userInfo));
    expect([answer.status, answer.headers['dpop-nonce']]).toEqual([200, undefined]);
  });

  it('I59: and proofs are for scripts too, where a client of the tenant may send them', async () => {
    const preflight = async (host: string, path: string) => {
      const headers = { origin: 'https://pub1.test', 'access-control-request-method': 'POST' };
      const { headers: got } = await service.http(host, path, { method: 'OPTIONS', headers });
      return [got['access-control-allow-headers'], got['access-control-expose-headers']];
    };
    for (const path of ['/api/oidc/token', userInfo, profilePath]) {
      const [allowed, exposed] = await preflight(at, path);
      expect(allowed).toBe('authorization, content-type, dpop');
      expect(exposed).toContain('dpop-nonce');
    }
    const [allowed, exposed] = await preflight(at, '/api/oidc/token/revocation');
    expect([allowed, String(exposed)]).toEqual([
      'authorization, content-type',
      expect.not.stringContaining('dpop'),
    ]);
  });
});
