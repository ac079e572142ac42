import { beforeEach, describe, expect, it } from 'vitest';
import { claimsOf } from '../../../support/expected/claims.ts';
import { expectErrorPage, expectErrorRedirect } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  codeFor,
  field,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const redirectUri = 'https://pub1.test/cb';

const service = useService({ data: 'security' });
/** A browser that is signed in: what is wrong with a request is all that keeps it from a code. */
let browser: Visitor;

beforeEach(async () => {
  browser = visitor(service, hosts.a);
  await codeFor(browser, 'pub1', redirectUri);
});

/** A valid request of pub1 with these changes; undefined leaves a parameter out. */
const changed = (changes: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      ...authorizationParameters('pub1', redirectUri, pkce(), { state: 'a state' }),
      ...changes,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const refused = async (changes: Record<string, string | undefined>, error: string): Promise<void> => {
  const before = await allRows(service, ['auditEvents']);
  const answer = await browser.authorize(changed(changes));
  expectErrorRedirect(answer, { redirectUri, error, state: 'a state' });
  expect(await allRows(service, ['auditEvents'])).toEqual(before);
};

describe('a request that is not valid goes back to the redirect_uri with an error and no code', () => {
  it.each([
    [undefined, 'invalid_request'],
    ['', 'invalid_request'],
    ['token', 'unsupported_response_type'],
    ['code id_token', 'unsupported_response_type'],
    ['Code', 'unsupported_response_type'],
    ['code code', 'unsupported_response_type'],
  ])('C1, I10: response_type %j is %s', (responseType, error) =>
    refused({ response_type: responseType }, error),
  );

  it('C2, I9, I11, I23: without a code_challenge it is invalid_request', () =>
    refused({ code_challenge: undefined }, 'invalid_request'));

  it.each([undefined, 'plain', 's256', 'S256 '])(
    'C3, I11: with the code_challenge_method %j it is invalid_request',
    (method) => refused({ code_challenge_method: method }, 'invalid_request'),
  );

  it.each(['x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(42)}+`, `${'x'.repeat(42)}/`])(
    'I11: the code_challenge %j is not 43 base64url characters and invalid_request',
    (challenge) => refused({ code_challenge: challenge }, 'invalid_request'),
  );

  it.each([undefined, 'profile email', 'unknown', 'OpenID', 'openid,email'])(
    'I10: the scope %j has no openid and is invalid_scope (decision 10)',
    (scope) => refused({ scope }, 'invalid_scope'),
  );

  it('I20: a request object is request_not_supported', () =>
    refused({ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'));

  it('I20: a request_uri is request_uri_not_supported', () =>
    refused({ request_uri: 'https://app.test/request.jwt' }, 'request_uri_not_supported'));

  it('I20: neither is looked at before the redirect_uri was found good', async () => {
    expectErrorPage(await browser.authorize(changed({ redirect_uri: 'https://evil.test/', request: 'x' })));
  });

  it.each(['fragment', 'web_message', 'Query', 'query.jwt'])(
    'I21: response_mode %s is invalid_request, in the query',
    (mode) => refused({ response_mode: mode }, 'invalid_request'),
  );

  it.each(['-1', '1.5', 'soon', '1e3', '0x10'])(
    'I16: max_age %s is no number of seconds and invalid_request',
    (maxAge) => refused({ max_age: maxAge }, 'invalid_request'),
  );

  it.each(['response_type', 'scope', 'code_challenge', 'nonce', 'prompt'])(
    'I7: a second %s is invalid_request (decision 11)',
    async (name) => {
      const parameters = new URLSearchParams(changed({ nonce: 'n', prompt: 'none' }));
      parameters.append(name, parameters.get(name) ?? '');
      const answer = await browser.send(`/api/oidc/auth?${parameters}`);
      expectErrorRedirect(answer, { redirectUri, error: 'invalid_request', state: 'a state' });
    },
  );

  it('I7: of two states neither comes back', async () => {
    const answer = await browser.send(`/api/oidc/auth?${new URLSearchParams(changed({}))}&state=another`);
    expectErrorRedirect(answer, { redirectUri, error: 'invalid_request' });
  });

  it('I9: without a state there is none in the error', async () => {
    const answer = await browser.authorize(changed({ state: undefined, scope: 'email' }));
    expectErrorRedirect(answer, { redirectUri, error: 'invalid_scope' });
  });
});

describe('a request that is valid', () => {
  it('I7: may bring unknown parameters, and its parameters and scopes in any order', async () => {
    const parameters = Object.fromEntries(
      Object.entries(
        changed({ scope: 'email  offline_access unknown openid', audience: 'x', resource: 'y' }),
      ).reverse(),
    );
    expect(answerOf(await browser.authorize(parameters)).get('code')).not.toBeNull();
  });

  it('decision 11: may bring empty values, which count as absent', async () => {
    const empty = { nonce: '', prompt: '', max_age: '', request: '', request_uri: '', id_token_hint: '' };
    const answer = answerOf(await browser.authorize(changed({ ...empty, response_mode: '', state: '' })));
    expect([...answer.keys()]).toEqual(['code', 'iss']);
  });

  it('I12: gets its nonce back in the id_token, unchanged and only then', async () => {
    for (const nonce of [undefined, 'n', `"<&%+ ${'x'.repeat(1_000)}`]) {
      const proof = pkce();
      const parameters = changed({ code_challenge: proof.challenge, nonce });
      const answer = await token(service, hosts.a, {
        grant_type: 'authorization_code',
        client_id: 'pub1',
        code: answerOf(await browser.authorize(parameters)).get('code') ?? '',
        code_verifier: proof.verifier,
      });
      expect(claimsOf(answer.json<{ id_token: string }>().id_token).nonce).toBe(nonce);
    }
  });

  it('I22: gets a code of 256 random bits that is stored as its hash alone', async () => {
    const { code } = await codeFor(browser, 'pub1', redirectUri);
    expect(Buffer.from(code, 'base64url')).toHaveLength(32);
    expect(JSON.stringify(await allRows(service))).not.toContain(code);
  });

  it('I23: gets iss with the code, from the tenant it asked', async () => {
    for (const [host, issuer] of [
      [hosts.a, 'https://a.test'],
      [hosts.b, 'https://b.test'],
    ] as const) {
      const elsewhere = visitor(service, host);
      const page = await elsewhere.authorize(changed({}));
      expect(answerOf(await elsewhere.signIn(page, 'u1@example.test')).get('iss')).toBe(issuer);
      const silent = await elsewhere.authorize(changed({ scope: 'email' }));
      expect(answerOf(silent).get('iss')).toBe(issuer);
    }
  });

  it('I6: may come as a form POST, with equal result (decision 11)', async () => {
    const posted = await browser.send('/api/oidc/auth', { body: changed({}) });
    expect(posted.status).toBe(303);
    expect([...answerOf(posted).keys()]).toEqual(['code', 'state', 'iss']);
    const wrong = await browser.send('/api/oidc/auth', { body: changed({ scope: 'email' }) });
    expectErrorRedirect(wrong, { redirectUri, error: 'invalid_scope', state: 'a state' });
    expectErrorPage(await browser.send('/api/oidc/auth', { body: changed({ client_id: 'unknown' }) }));
  });

  it('I6: a POST of another site is sent on as a GET, which brings the cookies along', async () => {
    const parameters = changed({ state: 'a+b c&d=é' });
    // What a browser does: a cross-site POST comes without cookies of SameSite=Lax.
    const posted = await service.http(hosts.a, '/api/oidc/auth', {
      body: parameters,
      headers: { origin: 'https://pub1.test', 'sec-fetch-site': 'cross-site' },
    });
    expect(posted.status).toBe(303);
    const { pathname, searchParams } = new URL(posted.headers.location ?? '', 'https://a.test');
    expect(pathname).toBe('/api/oidc/auth');
    expect(Object.fromEntries(searchParams)).toEqual(parameters);
    const answer = answerOf(await browser.send(posted.headers.location ?? ''));
    expect(answer.get('code')).not.toBeNull();
    expect(answer.get('state')).toBe('a+b c&d=é');
  });
});

describe('on the way to the credentials', () => {
  it('C24: three tabs finished in reverse order get three codes, each for its own challenge and state', async () => {
    const shared = visitor(service, hosts.a);
    const tabs = [];
    for (const state of ['first', 'second', 'third']) {
      const proof = pkce();
      const page = await shared.authorize(changed({ code_challenge: proof.challenge, state }));
      tabs.push({ state, proof, page });
    }
    const codes = [];
    for (const { state, proof, page } of tabs.reverse()) {
      const answer = answerOf(await shared.signIn(page, 'u1@example.test'));
      expect(answer.get('state')).toBe(state);
      codes.push({ code: answer.get('code') ?? '', proof });
    }
    expect(new Set(codes.map(({ code }) => code)).size).toBe(3);
    const exchange = (code: string, verifier: string) =>
      token(service, hosts.a, {
        grant_type: 'authorization_code',
        client_id: 'pub1',
        code,
        code_verifier: verifier,
      });
    const [third, second, first] = codes;
    if (third === undefined || second === undefined || first === undefined) throw new Error('three codes');
    expect((await exchange(first.code, first.proof.verifier)).status).toBe(200);
    expect((await exchange(second.code, second.proof.verifier)).status).toBe(200);
    expect((await exchange(third.code, first.proof.verifier)).status).toBe(400);
  });

  it('nothing is written before they are right', async () => {
    // Wrong passwords are counted for the limits of sign-in; that is all that may be written.
    const rows = () => allRows(service, ['auditEvents', 'signInFailures']);
    const before = await rows();
    const fresh = visitor(service, hosts.a);
    const page = await fresh.authorize(changed({}));
    const flow = field(page, 'flow');
    await fresh.send('/api/oidc/auth', { body: changed({}) });
    await fresh.send(`/sign-in?flow=${flow}&ui_locales=en`);
    await fresh.send('/sign-in', { body: { flow, email: '', password: '' } });
    const wrong = await fresh.signIn(page, 'u1@example.test', 'not the password');
    expect(wrong.status).toBe(422);
    await fresh.signIn(page, 'nobody@example.test', 'whatever it is');
    await fresh.authorize(changed({ prompt: 'none' }));
    await fresh.send('/sign-in', { body: { flow, action: 'cancel' } });
    expect(await rows()).toEqual(before);
  });

  it('I24: a member who turns back gives access_denied with state', async () => {
    const fresh = visitor(service, hosts.a);
    const page = await fresh.authorize(changed({}));
    const answer = await fresh.send('/sign-in', { body: { flow: field(page, 'flow'), action: 'cancel' } });
    expectErrorRedirect(answer, { redirectUri, error: 'access_denied', state: 'a state' });
  });
});
