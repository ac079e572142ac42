import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/core/client.ts';
import {
  type AuthorizationParameter,
  authorizationParameters,
  readAuthorizationRequest,
  type SentParameters,
  stateAsksForSignUp,
} from '../../../../src/core/oidc/request/authorization-request.ts';
import { challenge, clientRecord } from '../../../support/records/records.ts';

const client = clientRecord();

/** A request with nothing wrong, and nothing that could be left out. */
const plain = {
  client_id: 'client-1',
  redirect_uri: 'https://app.test/cb',
  response_type: 'code',
  scope: 'openid',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};

type Values = Partial<Record<AuthorizationParameter, string | undefined>>;

/** Reads the plain request with some parameters changed; undefined takes one away. */
function read(change: Values = {}, whose: Client | null = client, repeated: AuthorizationParameter[] = []) {
  const sent = Object.entries({ ...plain, ...change }).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(sent) as SentParameters['values'];
  return readAuthorizationRequest({ values, repeated }, whose);
}

function requestOf(change: Values, whose: Client = client) {
  const answer = read(change, whose);
  if (answer.kind !== 'request') throw new Error(`not a request but ${JSON.stringify(answer)}`);
  return answer.request;
}

describe('authorization request', () => {
  it('is read with every parameter in its place', () => {
    const change = {
      response_mode: 'form_post',
      scope: 'email openid unknown',
      state: ' {"a": 1}%20+é',
      nonce: 'the nonce',
      prompt: 'login consent',
      max_age: '60',
      login_hint: 'ada@example.test',
      ui_locales: 'nb',
      id_token_hint: 'a.b.c',
      dpop_jkt: challenge,
    };
    expect(read(change)).toEqual({
      kind: 'request',
      request: {
        target: { redirectUri: 'https://app.test/cb', responseMode: 'form_post', state: ' {"a": 1}%20+é' },
        scope: 'openid email',
        resources: '',
        apis: [],
        nonce: 'the nonce',
        codeChallenge: challenge,
        dpopJkt: challenge,
        prompts: new Set(['login', 'consent']),
        maxAge: 60,
        asksForSignUp: false,
        claims: null,
      },
    });
  });

  it('needs no more than the contract asks for', () => {
    expect(requestOf({})).toEqual({
      target: { redirectUri: 'https://app.test/cb', responseMode: 'query', state: undefined },
      scope: 'openid',
      resources: '',
      apis: [],
      nonce: null,
      codeChallenge: challenge,
      dpopJkt: null,
      prompts: new Set(),
      maxAge: null,
      asksForSignUp: false,
      claims: null,
    });
  });
});

describe('dpop_jkt (interop 59)', () => {
  it.each(['x', `${challenge}x`, challenge.replace('E', '=')])('is refused as %j', (dpop_jkt) => {
    expect(read({ dpop_jkt })).toMatchObject({ kind: 'error', error: 'invalid_request' });
  });

  it('is not looked at where the client has bearer tokens alone', () => {
    const off = clientRecord({ dpop: 'off' });
    expect(requestOf({ dpop_jkt: 'x' }, off).dpopJkt).toBeNull();
    expect(read({ dpop_jkt: challenge }, off, ['dpop_jkt']).kind).toBe('request');
    expect(read({ dpop_jkt: challenge }, client, ['dpop_jkt'])).toMatchObject({ kind: 'error' });
  });
});

describe('a request whose error is shown on a page, because there is no trusted address to send it to (decisions 6, 7)', () => {
  it.each([
    ['client_missing', 'no client_id', read({ client_id: undefined })],
    ['client_unknown', 'an unknown client', read({}, null)],
    ['client_unknown', 'two client_ids', read({}, client, ['client_id'])],
    ['redirect_uri_repeated', 'two redirect_uris', read({}, client, ['redirect_uri'])],
    ['redirect_uri_unregistered', 'another redirect_uri', read({ redirect_uri: 'https://evil.test/' })],
    ['redirect_uri_missing', 'R15: none, where several are registered', read({ redirect_uri: undefined })],
    [
      'redirect_uri_missing',
      'none, where none is registered',
      read({ redirect_uri: undefined }, clientRecord({ redirectUris: [] })),
    ],
  ])('%s: %s', (reason, _what, answer) => {
    expect(answer).toEqual({ kind: 'page', reason });
  });

  it('comes before every other error of the request', () => {
    const wrong = { redirect_uri: 'https://evil.test/', response_type: 'token', scope: 'x' };
    expect(read(wrong)).toMatchObject({ kind: 'page' });
  });

  it('R16: without a redirect_uri the single registered one is used', () => {
    const single = clientRecord({ redirectUris: ['https://app.test/only'] });
    expect(requestOf({ redirect_uri: undefined }, single).target.redirectUri).toBe('https://app.test/only');
  });
});

describe('a request that is answered with an error (decisions 9 to 13)', () => {
  it.each([
    ['no response_type', 'invalid_request', { response_type: undefined }],
    ['response_type token', 'unsupported_response_type', { response_type: 'token' }],
    ['response_type code id_token', 'unsupported_response_type', { response_type: 'code id_token' }],
    ['no code_challenge', 'invalid_request', { code_challenge: undefined }],
    ['a code_challenge of 42 characters', 'invalid_request', { code_challenge: challenge.slice(1) }],
    ['a padded code_challenge', 'invalid_request', { code_challenge: `${challenge}=` }],
    ['no code_challenge_method', 'invalid_request', { code_challenge_method: undefined }],
    ['code_challenge_method plain', 'invalid_request', { code_challenge_method: 'plain' }],
    ['no scope', 'invalid_scope', { scope: undefined }],
    ['a scope without openid', 'invalid_scope', { scope: 'offline_access email' }],
    ['response_mode fragment', 'invalid_request', { response_mode: 'fragment' }],
    ['prompt none with another', 'invalid_request', { prompt: 'none login' }],
    ['a max_age that is no number', 'invalid_request', { max_age: 'soon' }],
    ['a max_age below 0', 'invalid_request', { max_age: '-1' }],
    ['a max_age of ten digits', 'invalid_request', { max_age: '1000000000' }],
    ['a request object', 'request_not_supported', { request: 'a.b.c' }],
    ['a request_uri', 'request_uri_not_supported', { request_uri: 'urn:x' }],
    ['a state over 4 KB', 'invalid_request', { state: 'x'.repeat(4_097) }],
    ['a nonce over 1 KB', 'invalid_request', { nonce: 'x'.repeat(1_025) }],
    ['a login_hint over 2 KB', 'invalid_request', { login_hint: 'x'.repeat(2_049) }],
  ])('%s is %s', (_what, error, change) => {
    const target = {
      redirectUri: 'https://app.test/cb',
      responseMode: 'query',
      state: 'state' in change ? change.state : 's',
    };
    expect(read({ state: 's', ...change })).toMatchObject({ kind: 'error', error, target });
  });

  it('form_post carries an error too', () => {
    expect(read({ response_mode: 'form_post', scope: 'email' })).toMatchObject({
      kind: 'error',
      target: { responseMode: 'form_post' },
    });
  });

  it('form_post cannot go to an app of a private-use scheme', () => {
    const app = clientRecord({ redirectUris: ['com.example.app:/cb'] });
    const answer = read({ redirect_uri: 'com.example.app:/cb', response_mode: 'form_post' }, app);
    expect(answer).toMatchObject({ error: 'invalid_request', target: { responseMode: 'query' } });
  });

  it.each(authorizationParameters.filter((name) => name !== 'client_id' && name !== 'redirect_uri'))(
    'decision 11: %s sent twice is invalid_request',
    (name) => {
      expect(read({}, client, [name])).toMatchObject({ kind: 'error', error: 'invalid_request' });
    },
  );

  it('a state sent twice is not sent back, because only one of them can be meant', () => {
    expect(read({ state: 's' }, client, ['state'])).toMatchObject({ target: { state: undefined } });
  });

  it('the descriptions keep to the characters of RFC 6749 §4.1.2.1', () => {
    const answers = authorizationParameters.map((name) => read({}, client, [name]));
    const descriptions = answers.flatMap((answer) => (answer.kind === 'error' ? [answer.description] : []));
    expect(descriptions.filter((text) => !/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(text))).toEqual([]);
  });

  it('what is just long enough is read', () => {
    expect(read({ state: 'x'.repeat(4_096), nonce: 'x'.repeat(1_024), max_age: '999999999' }).kind).toBe(
      'request',
    );
  });
});

describe('state that asks for registration (decision 12)', () => {
  it.each([
    '{"action":"signup"}',
    '{"action":"signup","csrf":"x"}',
    ' { "csrf" : "x" , "action" : "signup" } ',
    '{"\\u0061ction":"signup"}',
    '{"action":"\\u0073ignup"}',
  ])('%s asks', (state) => {
    expect(stateAsksForSignUp(state)).toBe(true);
  });

  it.each([
    '',
    'signup',
    '"signup"',
    'null',
    '["action","signup"]',
    '{"action":"signin"}',
    '{"action":"SignUp"}',
    '{"action":["signup"]}',
    '{"Action":"signup"}',
    '{"x":{"action":"signup"}}',
    '{"__proto__":{"action":"signup"}}',
    '{"action":"signup"',
    'a-random-string-that-has-signup-in-it',
  ])('%j does not', (state) => {
    expect(stateAsksForSignUp(state)).toBe(false);
  });

  it('no state does not', () => {
    expect(stateAsksForSignUp(undefined)).toBe(false);
  });

  it('is read up to 2 KB, and not above', () => {
    const ofLength = (length: number) => `{"action":"signup","x":"${'x'.repeat(length - 26)}"}`;
    expect(ofLength(2_048)).toHaveLength(2_048);
    expect(stateAsksForSignUp(ofLength(2_048))).toBe(true);
    expect(stateAsksForSignUp(ofLength(2_049))).toBe(false);
  });

  it('leads to registration, and comes back byte for byte', () => {
    const state = '{ "csrf":"x",  "action":"signup" }';
    expect(requestOf({ state })).toMatchObject({ asksForSignUp: true, target: { state } });
  });

  it('prompt create asks as well', () => {
    expect(requestOf({ prompt: 'create' }).asksForSignUp).toBe(true);
  });

  it('contract 6: neither is heeded where the client disables sign-up', () => {
    const reader = clientRecord({ signupDisabled: true });
    expect(requestOf({ state: '{"action":"signup"}' }, reader).asksForSignUp).toBe(false);
    expect(requestOf({ prompt: 'create' }, reader).asksForSignUp).toBe(false);
  });
});
