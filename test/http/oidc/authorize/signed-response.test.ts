import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SigningAlgorithm } from '../../../../src/core/tenant.ts';
import { headerOf } from '../../../support/expected/claims.ts';
import { expectErrorRedirect } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { run } from '../../../support/operators/desk.ts';
import { mayPush, pushed } from '../../../support/requests/push.ts';
import { apps, credentialsOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const { conf1, pub1 } = apps;
let browser: Visitor;

const change = (clientId: string, changes: object) =>
  run(service, 'clients.change', { tenant: hosts.a, clientId, ...changes });

beforeAll(() => change('conf1', { signedResponses: true }));
beforeEach(() => {
  browser = visitor(service, hosts.a);
});

const asked = (more: Record<string, string>, app: typeof conf1 | typeof pub1 = conf1, proof = pkce()) =>
  browser.authorize(authorizationParameters(app.clientId, app.redirectUri, proof, { state: 's', ...more }));

/** The one parameter that an answer carries. */
const responseIn = (answer: Answer): string => {
  const parameters = Object.fromEntries(answerOf(answer));
  expect(Object.keys(parameters)).toEqual(['response']);
  return String(parameters.response);
};

/** What a client reads in a signed answer: by the published keys, as jose alone verifies it. */
const readResponse = async (response: string) => {
  const keys = (await service.http(hosts.a, '/api/oidc/jwks')).json<
    JSONWebKeySet & Record<string, unknown>
  >();
  const { payload } = await jwtVerify(response, createLocalJWKSet(keys), {
    issuer: 'https://a.test',
    audience: 'conf1',
    currentDate: new Date(service.clock.now()),
  });
  const { exp, ...rest } = payload;
  expect(Number(exp)).toBe(Math.floor(service.clock.now() / 1_000) + 600);
  return rest;
};

describe('a signed answer', () => {
  it.each(['jwt', 'query.jwt'])('I70: comes by response_mode=%s, and nothing beside it', async (mode) => {
    const proof = pkce();
    const page = await asked({ response_mode: mode }, conf1, proof);
    const answer = await browser.signIn(page, 'u1@example.test');
    const { code, ...rest } = await readResponse(responseIn(answer));
    expect(rest).toEqual({ iss: 'https://a.test', aud: 'conf1', state: 's' });
    const exchanged = await token(service, hosts.a, {
      grant_type: 'authorization_code',
      ...credentialsOf(conf1),
      code: String(code),
      code_verifier: proof.verifier,
    });
    expect(exchanged.status).toBe(200);
  });

  it('I70: comes by a form that sends itself', async () => {
    const answer = await browser.signIn(await asked({ response_mode: 'form_post.jwt' }), 'u1@example.test');
    expect(answer.status).toBe(200);
    expect([...answer.text.matchAll(/<input type="hidden" name="(\w+)"/g)].map(([, name]) => name)).toEqual([
      'response',
    ]);
    expect(await readResponse(field(answer, 'response'))).toMatchObject({
      state: 's',
      code: expect.any(String),
    });
  });

  it('I70: tells an error too, and that a member turned back', async () => {
    const silent = await asked({ response_mode: 'jwt', prompt: 'none' });
    expect(await readResponse(responseIn(silent))).toMatchObject({ error: 'login_required', state: 's' });
    const wrong = await asked({ response_mode: 'jwt', scope: 'email' });
    expect(await readResponse(responseIn(wrong))).toMatchObject({ error: 'invalid_scope' });
    const page = await asked({ response_mode: 'jwt' });
    const body = { flow: field(page, 'flow'), action: 'cancel' };
    const turnedBack = await browser.send('/sign-in', { body });
    expect(await readResponse(responseIn(turnedBack))).toMatchObject({ error: 'access_denied' });
  });

  it.each<SigningAlgorithm>(['RS256', 'ES256', 'PS256', 'EdDSA'])(
    'I70: is signed as the id_tokens of its client are: %s',
    async (idTokenAlgorithm) => {
      await change('conf1', { idTokenAlgorithm });
      const response = responseIn(await asked({ response_mode: 'jwt', prompt: 'none' }));
      expect(headerOf(response).alg).toBe(idTokenAlgorithm);
      await readResponse(response);
      const document = (await service.http(hosts.a, '/.well-known/openid-configuration')).json();
      expect(document.authorization_signing_alg_values_supported).toEqual([idTokenAlgorithm]);
      expect(document.response_modes_supported).toEqual([
        'query',
        'form_post',
        'jwt',
        'query.jwt',
        'form_post.jwt',
      ]);
    },
  );

  it('I70: is read by a library, and comes of a pushed request too', async () => {
    // The library compares the times with its own clock.
    service.clock.set(Date.now());
    await change('conf1', { idTokenAlgorithm: 'ES256' });
    await mayPush(service, hosts.a, 'conf1', 'allowed');
    const requestUri = await pushed(service, hosts.a, conf1, { response_mode: 'jwt', state: 'pushed' });
    const page = await browser.authorize({ client_id: 'conf1', request_uri: requestUri });
    const answer = await browser.signIn(page, 'u1@example.test');
    const document = (await service.http(hosts.a, '/.well-known/openid-configuration')).json();
    const server = document as unknown as oauth.AuthorizationServer;
    const client = { client_id: 'conf1', authorization_signed_response_alg: 'ES256' };
    const parameters = await oauth.validateJwtAuthResponse(
      server,
      client,
      new URL(String(answer.headers.location)),
      'pushed',
      {
        [oauth.customFetch]: async () =>
          new Response((await service.http(hosts.a, '/api/oidc/jwks')).text, {
            headers: { 'content-type': 'application/json' },
          }),
      },
    );
    expect(parameters.get('code')).not.toBeNull();
  });

  it('I70: is no hint of the member who is signed in', async () => {
    const response = responseIn(await asked({ response_mode: 'jwt', prompt: 'none' }));
    const answer = await asked({ id_token_hint: response, prompt: 'none' });
    expectErrorRedirect(answer, { redirectUri: conf1.redirectUri, error: 'invalid_request', state: 's' });
  });
});

describe('without being asked for', () => {
  it('I70: an answer is as it is for every other client', async () => {
    const answer = answerOf(await browser.signIn(await asked({}), 'u1@example.test'));
    expect([...answer.keys()]).toEqual(['code', 'state', 'iss']);
  });

  it.each(['jwt', 'query.jwt', 'form_post.jwt', 'fragment.jwt'])(
    'PR16: a client that may have no signed answer gets invalid_request in clear for %s',
    async (mode) => {
      const { redirectUri } = pub1;
      const answer = await asked({ response_mode: mode }, pub1);
      expectErrorRedirect(answer, { redirectUri, error: 'invalid_request', state: 's' });
    },
  );

  it.each(['fragment.jwt', 'fragment', 'query.jwt.jwt', '__proto__', 'constructor', 'JWT'])(
    'PR16: %s is no response_mode of any client',
    async (mode) => {
      const { redirectUri } = conf1;
      const answer = await asked({ response_mode: mode });
      expectErrorRedirect(answer, { redirectUri, error: 'invalid_request', state: 's' });
    },
  );

  it('I70: discovery does not list it on a tenant where no client may have it', async () => {
    const document = (await service.http(hosts.b, '/.well-known/openid-configuration')).json();
    expect(document.response_modes_supported).toEqual(['query', 'form_post']);
    expect(document).not.toHaveProperty('authorization_signing_alg_values_supported');
  });
});
