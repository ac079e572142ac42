import { createHmac, createPublicKey } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ForeignPair,
  foreignPair,
  jwtPart,
  privateJwkOf,
  signForeign,
} from '../../support/clients/foreign-jwt.ts';
import { jwksOf } from '../../support/clients/signed-client.ts';
import {
  expectErrorPage,
  expectErrorRedirect,
  expectJsonError,
} from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { run } from '../../support/operators/desk.ts';
import { mayPush, pushAs } from '../../support/requests/push.ts';
import { apps, credentialsOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const { conf1, conf2, pub1 } = apps;
const { redirectUri } = conf1;
let browser: Visitor;
let key: ForeignPair;
let rsa: ForeignPair;
let others: ForeignPair;

const change = (clientId: string, changes: object) =>
  run(service, 'clients.change', { tenant: hosts.a, clientId, ...changes });

beforeAll(async () => {
  [key, rsa, others] = [await foreignPair('ES256'), await foreignPair('PS256'), await foreignPair('ES256')];
  await change('conf1', { jwks: jwksOf(key, rsa), requestObjects: 'allowed' });
  await change('conf2', { jwks: jwksOf(others), requestObjects: 'allowed' });
});
// A minute between the tests: what they fail on purpose must not add up to a limit of failures a minute.
beforeEach(() => {
  service.clock.advance(61_000);
  browser = visitor(service, hosts.a);
});

const seconds = () => Math.floor(service.clock.now() / 1_000);

/** Claims of a request object of conf1 that is taken, with others in place of some; undefined takes one away. */
const claimsWith = (changes: object = {}, proof = pkce()) => ({
  ...authorizationParameters('conf1', redirectUri, proof, { state: 'signed' }),
  iss: 'conf1',
  aud: 'https://a.test',
  nbf: seconds(),
  exp: seconds() + 60,
  ...changes,
});

const signed = (claims: unknown, by = key, header: object = {}) =>
  signForeign(
    by,
    { alg: by.algorithm, typ: 'oauth-authz-req+jwt', kid: by.publicJwk.kid, ...header },
    claims,
  );

/** Sends a browser with a request object and what must stand beside it. */
const send = (request: string, beside: Record<string, string> = {}) =>
  browser.authorize({ client_id: 'conf1', redirect_uri: redirectUri, state: 'beside', request, ...beside });

const expectRefused = async (request: string) =>
  expectErrorRedirect(await send(request), { redirectUri, error: 'invalid_request_object', state: 'beside' });

describe('a request object', () => {
  it('I56: is all that counts of a request, and leads to tokens', async () => {
    const proof = pkce();
    const page = await browser.authorize({
      client_id: 'conf1',
      request: signed(claimsWith({ max_age: 600 }, proof)),
      redirect_uri: 'https://evil.test/cb',
      response_type: 'token',
      state: 'beside',
      scope: 'email',
      prompt: 'none',
      code_challenge: 'x',
    });
    const answer = answerOf(await browser.signIn(page, 'u1@example.test'));
    expect(answer.get('state')).toBe('signed');
    const exchanged = await token(service, hosts.a, {
      grant_type: 'authorization_code',
      ...credentialsOf(conf1),
      code: String(answer.get('code')),
      code_verifier: proof.verifier,
    });
    expect(exchanged.status).toBe(200);
  });

  it.each<[string, object, object]>([
    ['of any JWT’s typ', { typ: 'JWT' }, {}],
    ['without a typ', { typ: undefined }, {}],
    ['with the long name of its typ', { typ: 'application/oauth-authz-req+jwt' }, {}],
    ['for several audiences', {}, { aud: ['https://other.test', 'https://a.test'] }],
    ['with iat in the place of nbf', {}, { nbf: undefined, iat: 0 }],
    ['of a clock that is 9 s ahead', {}, { nbf: 9, iat: 9, exp: 69 }],
    ['that is good for an hour', {}, { exp: 3_600 }],
    ['with claims of other names', {}, { jti: 'x', foo: { bar: 1 } }],
  ])('I56: is taken %s', async (_how, header, changes) => {
    const times = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [
        name,
        typeof value === 'number' ? value + seconds() : value,
      ]),
    );
    expect((await send(signed(claimsWith(times), key, header))).status).toBe(200);
  });

  it('I56: is taken by each algorithm of its client, and no other', async () => {
    expect((await send(signed(claimsWith(), rsa))).status).toBe(200);
    await change('conf1', { signingAlgorithms: ['ES256'] });
    await expectRefused(signed(claimsWith(), rsa));
    await change('conf1', { signingAlgorithms: ['ES256', 'PS256', 'EdDSA', 'RS256'] });
  });

  it('I56: is made by a library, and may come by POST', async () => {
    service.clock.set(Date.now());
    const imported = await crypto.subtle.importKey(
      'jwk',
      privateJwkOf(key) as object,
      { name: 'ECDSA', namedCurve: 'P-256' },
      false,
      ['sign'],
    );
    const server = { issuer: 'https://a.test' };
    const parameters = authorizationParameters('conf1', redirectUri, pkce(), { state: 'signed' });
    const request = await oauth.issueRequestObject(server, { client_id: 'conf1' }, parameters, {
      key: imported,
      kid: key.publicJwk.kid,
    });
    const begun = await browser.send('/api/oidc/auth', { body: { client_id: 'conf1', request } });
    expect(begun.status).toBe(303);
    const page = await browser.send(String(begun.headers.location));
    expect(answerOf(await browser.signIn(page, 'u1@example.test')).get('state')).toBe('signed');
  });

  it('I48, I56: may be pushed, and counts alone there too', async () => {
    await mayPush(service, hosts.a, 'conf1', 'allowed');
    const request = signed(claimsWith());
    const pushed = await pushAs(service, hosts.a, conf1, { request, state: 'beside', scope: 'email' });
    expect(pushed.status, pushed.text).toBe(201);
    const { request_uri: requestUri } = pushed.json<{ request_uri: string }>();
    const page = await browser.authorize({ client_id: 'conf1', request_uri: requestUri });
    expect(answerOf(await browser.signIn(page, 'u1@example.test')).get('state')).toBe('signed');
  });

  it('I56: of a flow that is too old leads to its app', async () => {
    const page = await send(signed(claimsWith()));
    service.clock.advance(13 * 60 * 60_000);
    const answer = await browser.signIn(page, 'u1@example.test');
    expectErrorPage(answer, 403);
    expect(answer.text).not.toContain('/api/oidc/auth');
  });

  it('I56: must be there where its client must sign, pushed or not', async () => {
    const plain = authorizationParameters('conf1', redirectUri, pkce());
    const open = await browser.authorize(plain);
    await change('conf1', { requestObjects: 'required', pushedRequests: 'allowed' });
    expectErrorRedirect(await browser.authorize(plain), { redirectUri, error: 'invalid_request' });
    expectErrorRedirect(await browser.signIn(open, 'u1@example.test'), {
      redirectUri,
      error: 'invalid_request',
    });
    expectJsonError(await pushAs(service, hosts.a, conf1), 400, 'invalid_request');
    const pushed = await pushAs(service, hosts.a, conf1, { request: signed(claimsWith()) });
    expect(pushed.status).toBe(201);
    expect(answerOf(await send(signed(claimsWith()))).get('state')).toBe('signed');
    await change('conf1', { requestObjects: 'allowed' });
  });
});

describe('a request object is refused', () => {
  it('PR17: without a signature, or with a MAC by the public key', async () => {
    const claims = claimsWith();
    const none = `${jwtPart({ alg: 'none', typ: 'oauth-authz-req+jwt' })}.${jwtPart(claims)}.`;
    await expectRefused(none);
    await expectRefused(`${none}x`);
    const pem = createPublicKey({ key: rsa.publicJwk, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const input = `${jwtPart({ alg: 'HS256', kid: rsa.publicJwk.kid })}.${jwtPart(claims)}`;
    for (const secret of [pem, JSON.stringify(rsa.publicJwk), 'conf1-secret']) {
      await expectRefused(`${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`);
    }
  });

  it('PR18: by another client’s key, or a key in its own header', async () => {
    await expectRefused(signed(claimsWith(), others));
    await expectRefused(signed(claimsWith(), others, { kid: key.publicJwk.kid }));
    await expectRefused(signed(claimsWith(), others, { kid: undefined, jwk: others.publicJwk }));
    await expectRefused(signed(claimsWith(), others, { jku: 'https://evil.test/jwks', kid: 'x' }));
    const [header, , signature] = signed(claimsWith()).split('.');
    await expectRefused(`${header}.${jwtPart(claimsWith({ scope: 'openid' }))}.${signature}`);
  });

  it('PR18: of another client, though its own key signed it', async () => {
    const ofConf2 = { iss: 'conf2', client_id: 'conf2', redirect_uri: conf2.redirectUri };
    await expectRefused(signed(claimsWith(ofConf2), others));
    await expectRefused(signed(claimsWith(ofConf2), key));
    await expectRefused(signed(claimsWith({ iss: 'conf2' })));
    await expectRefused(signed(claimsWith({ client_id: 'conf2' })));
    await expectRefused(signed(claimsWith({ client_id: undefined })));
    await expectRefused(signed(claimsWith({ iss: undefined })));
  });

  it.each<[string, object]>([
    ['another issuer', { aud: 'https://b.test' }],
    ['a part of it', { aud: 'https://a.tes' }],
    ['the authorization endpoint', { aud: 'https://a.test/api/oidc/auth' }],
    ['nothing', { aud: undefined }],
    ['none of several', { aud: ['https://b.test'] }],
    ['a structure', { aud: { 0: 'https://a.test' } }],
  ])('PR19: where its aud is %s', async (_what, changes) => {
    await expectRefused(signed(claimsWith(changes)));
  });

  it.each<[string, (now: number) => object]>([
    ['expired', (now) => ({ nbf: now - 60, exp: now })],
    ['without exp', () => ({ exp: undefined })],
    ['without nbf and iat', () => ({ nbf: undefined })],
    ['good for more than an hour', (now) => ({ nbf: now, exp: now + 3_601 })],
    ['good for more than an hour since long ago', (now) => ({ nbf: now - 3_600, exp: now + 60 })],
    ['of the future', (now) => ({ nbf: now + 30, exp: now + 90 })],
    ['made in the future', (now) => ({ iat: now + 30 })],
    ['with exp as a text', (now) => ({ exp: String(now + 60) })],
    ['with an endless exp', () => ({ exp: 1e300 })],
  ])('PR20: where it is %s', async (_what, times) => {
    await expectRefused(signed(claimsWith(times(seconds()))));
  });

  it('PR21: with a request, a request_uri, or what could be a client assertion', async () => {
    const inner = signed(claimsWith());
    await expectRefused(signed(claimsWith({ request: inner })));
    await expectRefused(signed(claimsWith({ request_uri: 'https://evil.test/x' })));
    await expectRefused(signed(claimsWith({ request: '' })));
    await expectRefused(signed(claimsWith({ sub: 'conf1' })));
    await expectRefused(signed(claimsWith(), key, { typ: 'client-authentication+jwt' }));
    await expectRefused(signed(claimsWith(), key, { typ: 'at+jwt' }));
  });

  it('PR22: with doubled members, wrong types, or what must be understood', async () => {
    const text = JSON.stringify(claimsWith());
    await expectRefused(signed(`${text.slice(0, -1)},"scope":"openid"}`));
    await expectRefused(signed(claimsWith({ scope: ['openid'] })));
    await expectRefused(signed(claimsWith({ state: 1 })));
    await expectRefused(signed(claimsWith({ redirect_uri: { toString: 'x' } })));
    await expectRefused(signed(claimsWith(), key, { crit: ['exp'] }));
    await expectRefused(signed('[]'));
    await expectRefused(signed('no JSON'));
    for (const garbage of ['x', 'x.y', 'x.y.z', '..', 'a.b.c.d.e']) await expectRefused(garbage);
  });

  it('PR23: where it is huge', async () => {
    await mayPush(service, hosts.a, 'conf1', 'allowed');
    const huge = signed(claimsWith({ login_hint: 'x'.repeat(7_000) }));
    expectErrorPage(await send(huge));
    expectJsonError(await pushAs(service, hosts.a, conf1, { request: huge }), 400, 'invalid_request_object');
    const long = signed(claimsWith({ login_hint: 'x'.repeat(2_500) }));
    expectErrorRedirect(await send(long), { redirectUri, error: 'invalid_request', state: 'signed' });
  });

  it('PR24: and nothing of it is in the answer, also not of one that is pushed', async () => {
    await mayPush(service, hosts.a, 'conf1', 'allowed');
    const telling = { aud: 'https://telling.test', scope: 'telling-scope', login_hint: 'telling-hint' };
    const request = signed(claimsWith(telling));
    const pushed = await pushAs(service, hosts.a, conf1, { request });
    expectJsonError(pushed, 400, 'invalid_request_object');
    const answers = [pushed.text, (await send(request)).headers.location, ...service.logLines].join('\n');
    expect(answers).not.toMatch(/telling/);
    expect(answers).not.toContain(request.split('.')[1]);
    const inner = await pushAs(service, hosts.a, conf1, { request: signed(claimsWith({ request })) });
    expectJsonError(inner, 400, 'invalid_request_object');
    const beside = { request: signed(claimsWith()), request_uri: 'urn:ietf:params:oauth:request_uri:x' };
    expectJsonError(await pushAs(service, hosts.a, conf1, beside), 400, 'invalid_request');
  });

  it('PR25: to an address that is registered, or to a page', async () => {
    const wrong = { aud: 'https://b.test', state: 'inner' };
    const alone = (changes: object) =>
      browser.authorize({ client_id: 'conf1', request: signed(claimsWith({ ...wrong, ...changes })) });
    expectErrorRedirect(await alone({}), { redirectUri, error: 'invalid_request_object', state: 'inner' });
    expectErrorPage(await alone({ redirect_uri: 'https://evil.test/cb' }));
    expectErrorPage(await alone({ redirect_uri: undefined }));
    expectErrorPage(await send(signed(claimsWith({ redirect_uri: 'https://evil.test/cb' }))));
    expectErrorPage(await send('x.y.z', { client_id: 'no-such-client' }));
  });

  it('PR26: of a client that may not sign, as ever', async () => {
    const beside = { client_id: 'pub1', redirect_uri: pub1.redirectUri };
    expectErrorRedirect(await send(signed(claimsWith()), beside), {
      redirectUri: pub1.redirectUri,
      error: 'request_not_supported',
      state: 'beside',
    });
  });
});

describe('discovery', () => {
  const documentOf = async (host: string) =>
    (await service.http(host, '/.well-known/openid-configuration')).json<Record<string, unknown>>();

  it('I56: lists request objects where a client may sign, and what it may sign by', async () => {
    expect(await documentOf(hosts.a)).toMatchObject({
      request_parameter_supported: true,
      request_object_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'RS256'],
      require_signed_request_object: false,
    });
    const other = await documentOf(hosts.b);
    expect(other.request_parameter_supported).toBe(false);
    expect(other).not.toHaveProperty('require_signed_request_object');
    expect(other).not.toHaveProperty('request_object_signing_alg_values_supported');
  });

  it('I56: a client without keys may not sign', async () => {
    const refused = change('pub1', { requestObjects: 'allowed' });
    await expect(refused).rejects.toThrow();
  });
});
