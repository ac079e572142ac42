import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DpopKey, dpopKey } from '../../support/clients/dpop.ts';
import { type ForeignPair, foreignPair } from '../../support/clients/foreign-jwt.ts';
import { headerOf } from '../../support/expected/claims.ts';
import {
  expectErrorPage,
  expectErrorRedirect,
  expectJsonError,
} from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { refusal, run } from '../../support/operators/desk.ts';
import {
  fapiAssertion,
  fapiExchange,
  fapiPush,
  fapiRedirectUri,
  fapiSettings,
} from '../../support/requests/fapi.ts';

import { useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  pkce,
  type Tokens,
  token,
  type Visitor,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let pair: ForeignPair;
let key: DpopKey;
let browser: Visitor;

beforeAll(async () => {
  [pair, key] = [await foreignPair('PS256'), await dpopKey()];
  await run(service, 'clients.create', { tenant: hosts.a, ...fapiSettings(pair) });
});
beforeEach(() => {
  service.clock.advance(61_000);
  browser = visitor(service, hosts.a);
});

const pushed = async (proof = pkce()) => {
  const answer = await fapiPush(service, pair, {}, { proof, assertion: fapiAssertion(service, pair) });
  expect(answer.status, answer.text).toBe(201);
  return answer.json<{ request_uri: string }>().request_uri;
};
const begin = (requestUri: string) => browser.authorize({ client_id: 'fapi', request_uri: requestUri });

const codeOf = async () => {
  const proof = pkce();
  browser = visitor(service, hosts.a);
  const answer = answerOf(await browser.signIn(await begin(await pushed(proof)), 'u1@example.test'));
  expect(answer.get('iss')).toBe('https://a.test');
  return { ...proof, code: String(answer.get('code')) };
};

describe('a client that is held to FAPI 2.0', () => {
  it('I58: gets tokens that are bound to its key, and signed as the profile says', async () => {
    const answer = await fapiExchange(service, pair, await codeOf(), key);
    expect(answer.status, answer.text).toBe(200);
    const tokens = answer.json<Tokens & Record<string, unknown>>();
    expect(tokens.token_type).toBe('DPoP');
    expect(headerOf(tokens.id_token).alg).toBe('PS256');
    expect(headerOf(tokens.access_token).alg).toBe('ES256');
  });

  it('FA2: has a minute for a code', async () => {
    const inTime = await codeOf();
    service.clock.advance(59_000);
    expect((await fapiExchange(service, pair, inTime, key)).status).toBe(200);
    const late = await codeOf();
    service.clock.advance(60_000);
    expectJsonError(await fapiExchange(service, pair, late, key), 400, 'invalid_grant');
  });

  it('FA3: gets nothing for parameters that it did not push, without a proof, or without an assertion', async () => {
    const plain = authorizationParameters('fapi', fapiRedirectUri, pkce());
    expectErrorRedirect(await browser.authorize(plain), {
      redirectUri: fapiRedirectUri,
      error: 'invalid_request',
    });
    expectJsonError(await fapiExchange(service, pair, await codeOf(), null), 400, 'invalid_dpop_proof');
    const { code, verifier } = await codeOf();
    const fields = { grant_type: 'authorization_code', client_id: 'fapi', code, code_verifier: verifier };
    expectJsonError(await token(service, hosts.a, fields), 401, 'invalid_client');
    const secret = { ...fields, client_secret: 'secret' };
    expectJsonError(await token(service, hosts.a, secret), 401, 'invalid_client');
    expect((await fapiExchange(service, pair, { code, verifier }, key)).status).toBe(200);
  });

  it('FA4: signs by no RS256, although its key could', async () => {
    const assertion = fapiAssertion(service, { ...pair, algorithm: 'RS256' });
    expectJsonError(await fapiPush(service, pair, {}, { assertion }), 401, 'invalid_client');
  });

  it('FA5: means the issuer by its assertion, and no endpoint or list', async () => {
    for (const aud of ['https://a.test/api/oidc/token', 'https://a.test/api/oidc/par', ['https://a.test']]) {
      const assertion = fapiAssertion(service, pair, { aud });
      expectJsonError(await fapiPush(service, pair, {}, { assertion }), 401, 'invalid_client');
    }
    const assertion = fapiAssertion(service, pair);
    const repeated = () => fapiPush(service, pair, {}, { assertion });
    expect((await repeated()).status).toBe(201);
    expectJsonError(await repeated(), 401, 'invalid_client');
  });

  it('FA6: names its redirect_uri, although one alone is registered', async () => {
    expectJsonError(await fapiPush(service, pair, { redirect_uri: '' }), 400, 'invalid_request');
  });

  it('FA7: begins once with a request_uri', async () => {
    const requestUri = await pushed();
    expect((await begin(requestUri)).status).toBe(200);
    expectErrorPage(await begin(requestUri));
  });

  it.each([
    [10, 201],
    [30, 401],
  ])('FA8: may have a clock that is %d s ahead: %d', async (ahead, status) => {
    const now = Math.floor(service.clock.now() / 1_000) + ahead;
    const assertion = fapiAssertion(service, pair, { iat: now, nbf: now, exp: now + 60 });
    expect((await fapiPush(service, pair, {}, { assertion })).status).toBe(status);
  });
});

describe('the profile', () => {
  const settings = () => ({ tenant: hosts.a, ...fapiSettings(pair), clientId: 'other' });

  it.each<[string, object, string]>([
    ['a secret', { authenticationMethod: 'client_secret' }, 'authenticationMethod must be private_key_jwt'],
    ['requests that are not pushed', { pushedRequests: 'allowed' }, 'pushedRequests must be required'],
    ['bearer tokens', { dpop: 'allowed' }, 'dpop must be required'],
    ['RS256 id_tokens', { idTokenAlgorithm: 'RS256' }, 'idTokenAlgorithm must be one of PS256, ES256, EdDSA'],
    ['RS256 access tokens', { accessTokenAlgorithm: 'RS256' }, 'accessTokenAlgorithm must be ES256'],
    [
      'RS256 of its own',
      { signingAlgorithms: ['PS256', 'RS256'] },
      'signingAlgorithms must be among PS256, ES256, EdDSA',
    ],
    [
      'an app’s redirect URI',
      { redirectUris: ['com.example.app:/cb'] },
      '"com.example.app:/cb" is no https address',
    ],
    [
      'a loopback one',
      { redirectUris: ['http://127.0.0.1/cb'] },
      '"http://127.0.0.1/cb" is no https address',
    ],
  ])('FA1: does not go with %s, and says what to change', async (_what, changes, words) => {
    const { problems } = await refusal(service, 'clients.create', { ...settings(), ...changes });
    expect(problems.join('\n')).toContain(words);
  });

  it('FA1: names all at once, of a client that is there already', async () => {
    const { problems } = await refusal(service, 'clients.change', {
      tenant: hosts.a,
      clientId: 'pub1',
      profile: 'fapi2',
    });
    expect(problems).toHaveLength(6);
    expect(problems.join('\n')).toContain('must be confidential');
  });

  it('FA1: keeps its settings from being changed under it, until it is taken away', async () => {
    const change = { tenant: hosts.a, clientId: 'fapi', pushedRequests: 'off' };
    await refusal(service, 'clients.change', change);
    await run(service, 'clients.create', settings());
    const other = { tenant: hosts.a, clientId: 'other' };
    await run(service, 'clients.change', { ...other, profile: 'none', pushedRequests: 'off' });
    const body = {
      ...authorizationParameters('other', fapiRedirectUri, pkce()),
    };
    expect(answerOf(await browser.signIn(await browser.authorize(body), 'u1@example.test')).has('code')).toBe(
      true,
    );
  });
});
