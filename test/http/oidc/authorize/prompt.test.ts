import { describe, expect, it } from 'vitest';
import { claimsOf } from '../../../support/expected/claims.ts';
import { expectErrorRedirect } from '../../../support/expected/expectations.ts';
import { hosts, secrets } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  codeFor,
  field,
  type Pkce,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const redirectUri = 'https://app2.test/cb';

const service = useService({ data: 'security' });

const signedIn = async (email = 'u1@example.test') => {
  const browser = visitor(service, hosts.a);
  await codeFor(browser, 'conf2', redirectUri, {}, email);
  return browser;
};

/** Asks for a code of conf2; the answer is a page, or on its way to the client. */
const ask = async (browser: Visitor, more: Record<string, string>) => {
  const proof = pkce();
  const answer = await browser.authorize(
    authorizationParameters('conf2', redirectUri, proof, { state: 's', ...more }),
  );
  return { proof, answer };
};

/** The id_token that an answer's code gives. */
const idTokenOf = async (answer: Answer, { verifier }: Pkce): Promise<string> => {
  const exchanged = await token(service, hosts.a, {
    grant_type: 'authorization_code',
    client_id: 'conf2',
    client_secret: secrets.conf2,
    code: answerOf(answer).get('code') ?? '',
    code_verifier: verifier,
  });
  expect(exchanged.status).toBe(200);
  return exchanged.json<{ id_token: string }>().id_token;
};

const claimsFor = async (browser: Visitor, more: Record<string, string>) => {
  const { answer, proof } = await ask(browser, more);
  return claimsOf(await idTokenOf(answer, proof));
};

const expectSignInPage = (answer: Answer) => {
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('<h1>Sign in</h1>');
};

const expectRefusal = (answer: Answer, error: string) =>
  expectErrorRedirect(answer, { redirectUri, error, state: 's' });

describe('prompt', () => {
  it('I14: none without a session is login_required at once, with no page between', async () => {
    const parameters = authorizationParameters('conf2', redirectUri, pkce(), { prompt: 'none', state: 's' });
    const answer = await service.http(hosts.a, `/api/oidc/auth?${new URLSearchParams(parameters)}`);
    expectRefusal(answer, 'login_required');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('I14: none with a session gives a code at once, same sub, same auth_time', async () => {
    const browser = await signedIn();
    const first = await claimsFor(browser, {});
    service.clock.advance(60_000);
    const second = await claimsFor(browser, { prompt: 'none' });
    expect({ sub: second.sub, auth_time: second.auth_time, sid: second.sid }).toEqual({
      sub: first.sub,
      auth_time: first.auth_time,
      sid: first.sid,
    });
  });

  it.each(['none login', 'login none', 'none none', 'none consent'])(
    'I14: %j combines none with another value and is invalid_request',
    async (prompt) => expectRefusal((await ask(await signedIn(), { prompt })).answer, 'invalid_request'),
  );

  it('I15: login shows sign-in despite a session, and moves auth_time', async () => {
    const browser = await signedIn();
    const first = await claimsFor(browser, {});
    service.clock.advance(60_000);
    const { answer, proof } = await ask(browser, { prompt: 'login' });
    expectSignInPage(answer);
    const second = claimsOf(await idTokenOf(await browser.signIn(answer, 'u1@example.test'), proof));
    expect(second).toMatchObject({ sub: first.sub, sid: first.sid });
    expect(Number(second.auth_time)).toBeGreaterThanOrEqual(Number(first.auth_time) + 60);
  });

  it('I15: the sign-in page of prompt=login cannot be walked past without the password', async () => {
    const browser = await signedIn();
    const { answer } = await ask(browser, { prompt: 'login' });
    const flow = field(answer, 'flow');
    for (const page of ['/sign-in', '/consent']) {
      const again = await browser.send(`${page}?flow=${flow}`);
      expect(again.headers.location ?? '').not.toContain('code=');
    }
  });

  it('I15: select_account lets the member choose another account', async () => {
    const browser = await signedIn();
    const { sub } = await claimsFor(browser, {});
    const { answer, proof } = await ask(browser, { prompt: 'select_account' });
    expectSignInPage(answer);
    const other = await browser.signIn(answer, 'u2@example.test');
    expect(claimsOf(await idTokenOf(other, proof)).sub).not.toBe(sub);
  });

  it("I15: consent is accepted; a first party's client has nothing to ask", async () => {
    const { answer } = await ask(await signedIn(), { prompt: 'consent' });
    expect(answerOf(answer).get('code')).not.toBeNull();
  });
});

describe('max_age', () => {
  it('I16: an older sign-in is made anew, and auth_time moves', async () => {
    const browser = await signedIn();
    const first = await claimsFor(browser, {});
    service.clock.advance(11_000);
    const { answer, proof } = await ask(browser, { max_age: '10' });
    expectSignInPage(answer);
    const second = claimsOf(await idTokenOf(await browser.signIn(answer, 'u1@example.test'), proof));
    expect(Number(second.auth_time)).toBeGreaterThanOrEqual(Number(first.auth_time) + 11);
  });

  it('I16: a younger one is good, and auth_time is equal to the first', async () => {
    const browser = await signedIn();
    const first = await claimsFor(browser, {});
    service.clock.advance(11_000);
    expect((await claimsFor(browser, { max_age: '60' })).auth_time).toBe(first.auth_time);
  });

  it('I16: 0 always asks, however young the session', async () => {
    expectSignInPage((await ask(await signedIn(), { max_age: '0' })).answer);
  });

  it('I16: an older sign-in with prompt=none is login_required', async () => {
    const browser = await signedIn();
    service.clock.advance(11_000);
    expectRefusal((await ask(browser, { max_age: '10', prompt: 'none' })).answer, 'login_required');
  });
});

describe('id_token_hint', () => {
  const hintOf = async (browser: Visitor, more: Record<string, string> = {}) => {
    const { answer, proof } = await ask(browser, more);
    return idTokenOf(answer, proof);
  };

  it('I17: of the member who is signed in, with prompt=none, gives a code', async () => {
    const browser = await signedIn();
    const hint = await hintOf(browser);
    const { answer } = await ask(browser, { prompt: 'none', id_token_hint: hint });
    expect(answerOf(answer).get('code')).not.toBeNull();
  });

  it('I17, I69: that has expired is still a hint', async () => {
    const browser = await signedIn();
    const hint = await hintOf(browser);
    service.clock.advance(2 * 60 * 60 * 1_000);
    const { answer } = await ask(browser, { prompt: 'none', id_token_hint: hint });
    expect(answerOf(answer).get('code')).not.toBeNull();
  });

  it('I17: that bears the longest nonce we take is still a hint', async () => {
    const browser = await signedIn();
    const hint = await hintOf(browser, { nonce: 'n'.repeat(1_024) });
    const { answer } = await ask(browser, { prompt: 'none', id_token_hint: hint });
    expect(answerOf(answer).get('code')).not.toBeNull();
  });

  it('I17: of another member, with prompt=none, is login_required', async () => {
    const hint = await hintOf(await signedIn('u2@example.test'));
    const { answer } = await ask(await signedIn(), { prompt: 'none', id_token_hint: hint });
    expectRefusal(answer, 'login_required');
  });

  it('I17: without a session, with prompt=none, is login_required', async () => {
    const hint = await hintOf(await signedIn());
    const { answer } = await ask(visitor(service, hosts.a), { prompt: 'none', id_token_hint: hint });
    expectRefusal(answer, 'login_required');
  });

  it('I17: of another member asks for that member, and takes no other', async () => {
    const hint = await hintOf(await signedIn('u2@example.test'));
    const browser = await signedIn();
    const { answer } = await ask(browser, { id_token_hint: hint });
    expectSignInPage(answer);
    expectRefusal(await browser.signIn(answer, 'u1@example.test'), 'login_required');
    const again = await ask(browser, { id_token_hint: hint });
    const done = await browser.signIn(again.answer, 'u2@example.test');
    expect(claimsOf(await idTokenOf(done, again.proof)).sub).toBe(claimsOf(hint).sub);
  });

  it('I17: that is not an id_token of ours is invalid_request, never a crash', async () => {
    const browser = await signedIn();
    const hint = await hintOf(browser);
    const [header = '', payload = '', signature = ''] = hint.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    const altered = Buffer.from(JSON.stringify({ ...claimsOf(hint), sub: 'x' })).toString('base64url');
    const bad = ['x', 'a.b.c', '..', `${none}.${payload}.`, `${header}.${altered}.${signature}`];
    for (const idTokenHint of bad) {
      const { answer } = await ask(browser, { id_token_hint: idTokenHint });
      expectRefusal(answer, 'invalid_request');
    }
  });
});

describe('hints about the page', () => {
  it('I18: none of them causes an error, and login_hint prefills the form', async () => {
    const { answer } = await ask(visitor(service, hosts.a), {
      display: 'wap',
      ui_locales: 'xx-YY tlh en',
      claims_locales: 'xx',
      acr_values: 'urn:mace:incommon:iap:silver',
      login_hint: 'no "such" <member>@example.test',
    });
    expectSignInPage(answer);
    expect(field(answer, 'email').replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toBe(
      'no "such" <member>@example.test',
    );
    expect(answer.text).not.toContain('<member>');
  });

  it('I18: an id_token claims no acr that was not checked', async () => {
    expect(await claimsFor(await signedIn(), { acr_values: 'gold' })).not.toHaveProperty('acr');
  });

  it('I19: the claims parameter is ignored, well-formed or not', async () => {
    for (const claims of ['{"userinfo":{"name":{"essential":true}}}', '{', 'null', '[]']) {
      expect(await claimsFor(await signedIn(), { claims })).not.toHaveProperty('name');
    }
  });
});
