import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  boundTokens,
  type DpopKey,
  dpopHeader,
  dpopKey,
  exchangeWith,
  type ProofTarget,
  refreshWith,
  setClient,
  tokenProof,
} from '../../../support/clients/dpop.ts';
import { jwtPart, privateJwkOf, signForeign } from '../../../support/clients/foreign-jwt.ts';
import { hosts } from '../../../support/fixtures.ts';
import { apps, credentialsOf, expectError } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { codeFor, type Tokens, token, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const at = hosts.a;
const url = `https://${at}/api/oidc/token`;
const [key, rsa] = await Promise.all([dpopKey(), dpopKey('RS256')]);

beforeAll(async () => {
  for (const host of [hosts.a, hosts.b]) await setClient(service, host, 'pub1', { dpop: 'allowed' });
});

const proof = (other: Partial<ProofTarget> = {}, of: DpopKey = key) => tokenProof(service, at, of, other);
const claims = (some: object) => proof({ claims: some });
const header = (some: object) => proof({ header: some });
const seconds = () => Math.floor(service.clock.now() / 1_000);

/** The parts of a good proof. */
const parts = () => proof().split('.') as [string, string, string];

/** Each hostile proof, made when it is sent: the clock of the service moves on. */
const hostile: readonly (readonly [title: string, make: () => string])[] = [
  ['DP1: that is no JWT is refused', () => 'garbage'],
  ['DP1: that is three parts of nothing is refused', () => '..'],
  ['DP1: whose claims are a list is refused', () => signForeign(key, { typ: 'dpop+jwt', alg: 'ES256' }, [])],
  ['DP2: of another typ is refused', () => header({ typ: 'JWT' })],
  ['DP2: without a typ is refused', () => header({ typ: undefined })],
  ['DP3: with alg none is refused', () => `${jwtPart({ typ: 'dpop+jwt', alg: 'none' })}.${parts()[1]}.`],
  ['DP3: with alg none and a signature is refused', () => header({ alg: 'none' })],
  ['DP4: with alg HS256 is refused', () => header({ alg: 'HS256' })],
  [
    'DP4: with a shared key in its header is refused',
    () => header({ alg: 'HS256', jwk: { kty: 'oct', k: randomBytes(32).toString('base64url') } }),
  ],
  ['DP5: whose alg is not that of its key is refused', () => header({ alg: 'RS256' })],
  ['DP6: with its private key in the header is refused', () => header({ jwk: privateJwkOf(key) })],
  [
    'DP6: with one member of a private RSA key is refused',
    () => proof({ header: { jwk: { ...rsa.publicJwk, dp: 'AQAB' } } }, rsa),
  ],
  ['DP7: without a key is refused', () => header({ jwk: undefined })],
  [
    'DP7: with a key by reference is refused',
    () => header({ jwk: undefined, jku: 'https://evil.test/jwks' }),
  ],
  ['DP7: with the key of another is refused', () => header({ jwk: rsa.publicJwk })],
  [
    'DP8: whose signature is of other bytes is refused',
    () => {
      const [head, , made] = parts();
      return `${head}.${claims({ jti: 'another' }).split('.')[1]}.${made}`;
    },
  ],
  ['DP8: whose signature is cut off is refused', () => proof().slice(0, -4)],
  ['DP9: longer than any need is refused', () => claims({ more: 'x'.repeat(8 * 1_024) })],
  [
    'DP10: with a member of its header twice is refused',
    () => {
      const text = JSON.stringify({ alg: 'ES256', jwk: key.publicJwk });
      return signForeign(key, `{"typ":"JWT","typ":"dpop+jwt",${text.slice(1)}`, claimsOf(proof()));
    },
  ],
  [
    'DP10: with a claim twice is refused',
    () => {
      const text = JSON.stringify(claimsOf(proof()));
      return signForeign(key, headerOf(proof()), `{"htm":"GET",${text.slice(1)}`);
    },
  ],
  ['DP11: with crit in its header is refused', () => header({ crit: ['b64'], b64: false })],
  ['DP12: for another method is refused', () => claims({ htm: 'GET' })],
  ['DP12: for the method in lower case is refused', () => claims({ htm: 'post' })],
  ['DP12: without a method is refused', () => claims({ htm: undefined })],
  ['DP13: for another host is refused', () => claims({ htu: 'https://b.test/api/oidc/token' })],
  ['DP13: for another port is refused', () => claims({ htu: 'https://a.test:8443/api/oidc/token' })],
  ['DP13: for another scheme is refused', () => claims({ htu: 'http://a.test/api/oidc/token' })],
  ['DP13: for another path is refused', () => claims({ htu: `${url}/revocation` })],
  ['DP13: for the path with a slash behind it is refused', () => claims({ htu: `${url}/` })],
  ['DP13: for the path in another case is refused', () => claims({ htu: 'https://a.test/API/oidc/token' })],
  [
    'DP13: for a host that only begins like ours is refused',
    () => claims({ htu: url.replace('a.test', 'a.test.evil') }),
  ],
  ['DP14: for an address with user info is refused', () => claims({ htu: url.replace('//', '//a@') })],
  ['DP14: for an address with backslashes is refused', () => claims({ htu: url.replaceAll('/', '\\') })],
  [
    'DP14: for an address with a line break is refused',
    () => claims({ htu: `https://a.test/api/oi\ndc/token` }),
  ],
  ['DP14: for a relative address is refused', () => claims({ htu: '/api/oidc/token' })],
  ['DP14: for a list of addresses is refused', () => claims({ htu: [url] })],
  [
    'DP14: for an address with a slash in code is refused',
    () => claims({ htu: 'https://a.test/api%2Foidc/token' }),
  ],
  ['DP15: older than a minute is refused', () => claims({ iat: seconds() - 61 })],
  ['DP15: from more than 10 seconds ahead is refused', () => claims({ iat: seconds() + 12 })],
  ['DP15: without a time is refused', () => claims({ iat: undefined })],
  ['DP15: whose time is a text is refused', () => claims({ iat: String(seconds()) })],
  ['DP15: whose time is in milliseconds is refused', () => claims({ iat: service.clock.now() })],
  ['DP16: without a jti is refused', () => claims({ jti: undefined })],
  ['DP16: with an empty jti is refused', () => claims({ jti: '' })],
  ['DP16: with a jti of 257 characters is refused', () => claims({ jti: 'j'.repeat(257) })],
  ['DP16: with a jti that is an object is refused', () => claims({ jti: { toString: 'x' } })],
];

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
const headerOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());

describe('a DPoP proof at the token endpoint', () => {
  let refreshToken: string | undefined;

  beforeEach(async () => {
    refreshToken ??= (await boundTokens(service, at, apps.pub1, key)).refresh_token;
  });

  it.each(hostile)('%s, and uses nothing up', async (_title, make) => {
    service.clock.advance(61_000);
    const refused = await refreshWith(service, at, apps.pub1, refreshToken, make());
    expectError(refused, 400, 'invalid_dpop_proof');
    const next = await refreshWith(service, at, apps.pub1, refreshToken, proof());
    expect(next.status, next.text).toBe(200);
    refreshToken = next.json<Tokens>().refresh_token;
  });

  it.each([
    ['a host in upper case', 'https://A.TEST/api/oidc/token'],
    ['a scheme in upper case', 'HTTPS://a.test/api/oidc/token'],
    ['the port that goes without saying', 'https://a.test:443/api/oidc/token'],
    ['a query and a fragment', `${url}?a=b#c`],
    ['an escape that none is needed for', 'https://a.test/api/oid%63/token'],
  ])('I49: may name its address with %s', async (_what, htu) => {
    const next = await refreshWith(service, at, apps.pub1, refreshToken, claims({ htu }));
    expect(next.status, next.text).toBe(200);
    refreshToken = next.json<Tokens>().refresh_token;
  });

  it.each([
    ['a minute old', () => ({ iat: seconds() - 59 })],
    ['10 seconds ahead', () => ({ iat: seconds() + 10 })],
    ['of a clock with parts of seconds', () => ({ iat: service.clock.now() / 1_000 })],
    ['with a jti of 256 characters', () => ({ jti: randomBytes(128).toString('hex') })],
  ])('I49: may be %s', async (_what, some) => {
    const next = await refreshWith(service, at, apps.pub1, refreshToken, claims(some()));
    expect(next.status, next.text).toBe(200);
    refreshToken = next.json<Tokens>().refresh_token;
  });

  it('DP17: of two headers none is taken, even if they are the same', async () => {
    const sent = proof();
    for (const both of [
      [sent, sent],
      [proof(), proof()],
    ]) {
      const fields = { grant_type: 'refresh_token', refresh_token: String(refreshToken) };
      const answer = await service.http(at, '/api/oidc/token', {
        body: { ...credentialsOf(apps.pub1), ...fields },
        headers: { dpop: both },
      });
      expectError(answer, 400, 'invalid_dpop_proof');
    }
    const answer = await refreshWith(service, at, apps.pub1, refreshToken, `${sent}, ${proof()}`);
    expectError(answer, 400, 'invalid_dpop_proof');
  });

  it('DP18: an access token or an id_token of ours is no proof', async () => {
    const tokens = await boundTokens(service, at, apps.pub1, key);
    for (const text of [tokens.access_token, tokens.id_token]) {
      expectError(
        await refreshWith(service, at, apps.pub1, tokens.refresh_token, text),
        400,
        'invalid_dpop_proof',
      );
    }
  });

  it('DP19: a proof is taken once, whatever it is for, and its second use ends nothing', async () => {
    const sent = proof();
    const first = (await exchangeWith(service, at, apps.pub1, sent)).json<Tokens>();
    const { code, verifier } = await codeFor(visitor(service, at), 'pub1', apps.pub1.redirectUri);
    const fields = { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
    expectError(await token(service, at, fields, dpopHeader(sent)), 400, 'invalid_dpop_proof');
    expect((await token(service, at, fields, dpopHeader(proof()))).status).toBe(200);

    const used = proof();
    const next = (await refreshWith(service, at, apps.pub1, first.refresh_token, used)).json<Tokens>();
    // The whole request again: reuse of the refresh token would end the sign-in.
    expectError(
      await refreshWith(service, at, apps.pub1, first.refresh_token, used),
      400,
      'invalid_dpop_proof',
    );
    expect((await refreshWith(service, at, apps.pub1, next.refresh_token, proof())).status).toBe(200);
  });

  it('DP19: two keys may use the same jti, and so may a key at two tenants', async () => {
    const same = { jti: 'the same' };
    const [one, other] = await Promise.all([dpopKey(), dpopKey()]);
    await boundTokens(service, at, apps.pub1, one, same);
    await boundTokens(service, at, apps.pub1, other, same);
    await boundTokens(service, hosts.b, apps.pub1, one, same);
    expectError(
      await exchangeWith(service, at, apps.pub1, proof({ claims: same }, one)),
      400,
      'invalid_dpop_proof',
    );
  });

  it('DP20: a proof that was used is known after a restart', async () => {
    const sent = proof();
    const { refresh_token } = (await exchangeWith(service, at, apps.pub1, sent)).json<Tokens>();
    await service.restart();
    expectError(await refreshWith(service, at, apps.pub1, refresh_token, sent), 400, 'invalid_dpop_proof');
    expect((await refreshWith(service, at, apps.pub1, refresh_token, proof())).status).toBe(200);
  });

  it('DP21: of 200 refreshes at once with one proof exactly one gets tokens, and the sign-in goes on', async () => {
    const first = await boundTokens(service, at, apps.pub1, key);
    const sent = proof();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => refreshWith(service, at, apps.pub1, first.refresh_token, sent)),
    );
    const right = answers.filter(({ status }) => status === 200);
    expect(right).toHaveLength(1);
    for (const { status } of answers) expect([200, 400, 429]).toContain(status);
    service.clock.advance(60_000);
    const next = right[0]?.json<Tokens>().refresh_token;
    expect((await refreshWith(service, at, apps.pub1, next, proof())).status).toBe(200);
  });

  it('DP22: a wrong proof of a stranger changes nothing, and the client is told of first', async () => {
    const fields = { grant_type: 'refresh_token', refresh_token: String(refreshToken) };
    const stranger = { client_id: 'conf1', client_secret: 'wrong', ...fields };
    expectError(await token(service, at, stranger, dpopHeader('garbage')), 401, 'invalid_client');
  });

  it('DP23: nothing of a proof stands in an answer or the log', async () => {
    const marked = claims({ htm: 'GET', jti: 'marked-jti', htu: 'https://marked.test/' });
    const answer = await refreshWith(service, at, apps.pub1, refreshToken, marked);
    expect(answer.text).not.toMatch(/marked/);
    const log = service.logLines.join('');
    expect(log).not.toContain('marked');
    expect(log).not.toContain(marked.split('.')[2]);
  });
});
