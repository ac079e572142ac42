import { describe, expect, it } from 'vitest';
import { flowLifetime } from '../../../../src/core/limits.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { apps } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  type Pkce,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });

const browserCookie = '__Host-memberdoor-browser';
const sessionCookie = '__Host-memberdoor-session';
const email = 'u1@example.test';

const atSignIn = async (browser = visitor(service, hosts.a), more: Record<string, string> = {}) => {
  const proof = pkce();
  const parameters = authorizationParameters('pub1', apps.pub1.redirectUri, proof, more);
  return { browser, proof, page: await browser.authorize(parameters) };
};

const submit = (browser: Visitor, page: Answer, more: Record<string, string> = {}) =>
  browser.send('/sign-in', { body: { flow: field(page, 'flow'), ...more } });

/** Holds a redirect to a code of the request that this proof belongs to. */
const expectCode = async (answer: Answer, { verifier }: Pkce) => {
  expect(answer.status).toBe(303);
  expect(answer.headers.location).toMatch(/^https:\/\/pub1\.test\/cb\?/);
  const exchanged = await token(service, hosts.a, {
    grant_type: 'authorization_code',
    client_id: 'pub1',
    code: String(answerOf(answer).get('code')),
    code_verifier: verifier,
  });
  expect(exchanged.status, exchanged.text).toBe(200);
};

/** The page that a flow which cannot go on shows, and where its button leads. */
const restartOf = (answer: Answer): string => {
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('<title>Error: This page has expired – Tenant A</title>');
  const link = /href="(\/[^"]*)"[^>]*>Start again</.exec(answer.text)?.[1];
  if (link === undefined) throw new Error('the page has no way on');
  return link.replaceAll('&amp;', '&');
};

/** Follows our own redirects, as a browser does. */
const follow = async (browser: Visitor, path: string) => {
  let answer = await browser.send(path);
  while (answer.headers.location?.startsWith('/')) answer = await browser.send(answer.headers.location);
  return answer;
};

describe('pages 6: errors', () => {
  it('pages 6: after a wrong password the title says so, the address is kept and the password is not', async () => {
    const { browser, page } = await atSignIn();
    expect(page.text).toContain('<title>Sign in – Tenant A</title>');
    const answer = await submit(browser, page, { email, password: 'a wrong password' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<title>Error: Sign in – Tenant A</title>');
    expect(field(answer, 'email')).toBe(email);
    expect(answer.text).not.toContain('a wrong password');
    expect(answer.text).toMatch(/role="alert"/);
    expect(/<input id="email"[^>]*>/.exec(answer.text)?.[0]).toMatch(
      /aria-invalid="true" aria-describedby="[^"]+"/,
    );
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });

  it.each([
    ['email', { password: 'a password' }, 'Enter your email address'],
    ['email', { email: '   ', password: 'a password' }, 'Enter your email address'],
    ['password', { email }, 'Enter your password'],
    ['password', { email, password: '' }, 'Enter your password'],
  ])('pages 6: a missing %s is named in a summary that links to the field (%o)', async (name, more, text) => {
    const { browser, page } = await atSignIn();
    const answer = await submit(browser, page, more);
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(/<title>Error: /);
    expect(answer.text).toContain(`<a href="#${name}">${text}</a>`);
    const input = new RegExp(`<input id="${name}"[^>]*>`).exec(answer.text)?.[0];
    expect(input).toContain(`aria-describedby="${name}-error"`);
    expect(answer.text).toContain(`id="${name}-error"`);
    expect(answer.text).not.toContain('a password');
  });

  it('pages 6: what was typed comes back as text, not as HTML', async () => {
    const { browser, page } = await atSignIn();
    const typed = '"><script>alert(1)</script>@example.test';
    const answer = await submit(browser, page, { email: typed, password: 'x' });
    expect(field(answer, 'email').replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toBe(typed);
    expect(answer.text).not.toContain('<script>alert');
  });

  it('pages 6: the form of an error page signs in', async () => {
    const { browser, proof, page } = await atSignIn();
    const wrong = await submit(browser, page, { email, password: 'wrong' });
    await expectCode(await browser.signIn(wrong, email), proof);
  });
});

describe('pages 7: no dead ends', () => {
  it('pages 7: a page that was open for 12 hours offers to start again, and the same request goes on', async () => {
    const { browser, proof, page } = await atSignIn(undefined, { state: 'a b&c', login_hint: email });
    service.clock.advance(flowLifetime);
    const restart = restartOf(await browser.signIn(page, email));
    expect(browser.cookies.has(sessionCookie)).toBe(false);
    const again = await follow(browser, restart);
    expect(field(again, 'email')).toBe(email);
    const answer = await browser.signIn(again, email);
    expect(answerOf(answer).get('state')).toBe('a b&c');
    await expectCode(answer, proof);
  });

  it('pages 7: a page that was open for a second less goes on', async () => {
    const { browser, proof, page } = await atSignIn();
    service.clock.advance(flowLifetime - 1_000);
    await expectCode(await browser.signIn(page, email), proof);
  });

  it('pages 7: the back button after a sign-in goes on to the app, without asking again', async () => {
    const { browser, proof, page } = await atSignIn();
    await browser.signIn(page, email);
    await expectCode(await browser.send(`/sign-in?flow=${field(page, 'flow')}`), proof);
  });

  it('pages 7: the back button and the form once more go on to the app', async () => {
    const { browser, proof, page } = await atSignIn();
    await browser.signIn(page, email);
    await expectCode(await browser.signIn(page, email), proof);
  });

  it('pages 7: the back button after a sign-out shows the form, which signs in again', async () => {
    const { browser, proof, page } = await atSignIn();
    await browser.signIn(page, email);
    await browser.send('/api/oidc/session/end?client_id=pub1');
    const again = await browser.send(`/sign-in?flow=${field(page, 'flow')}`);
    expect(again.status).toBe(200);
    await expectCode(await browser.signIn(again, email), proof);
  });

  it('pages 7: a form submitted twice at once gives two answers that both work', async () => {
    const { browser, proof, page } = await atSignIn();
    const answers = await Promise.all([browser.signIn(page, email), browser.signIn(page, email)]);
    for (const answer of answers) await expectCode(answer, proof);
    expect((await browser.send('/account')).status).toBe(200);
  });

  it('pages 7: of two tabs each signs in for its own request, in either order', async () => {
    const browser = visitor(service, hosts.a);
    const first = await atSignIn(browser, { state: 'first' });
    const second = await atSignIn(browser, { state: 'second' });
    for (const { page, proof } of [second, first]) {
      const answer = await browser.signIn(page, email);
      expect(answerOf(answer).get('state')).toBe(page === first.page ? 'first' : 'second');
      await expectCode(answer, proof);
    }
  });

  it('pages 7: a tab opened before the sign-in in another goes on when it is reloaded', async () => {
    const browser = visitor(service, hosts.a);
    const first = await atSignIn(browser);
    const second = await atSignIn(browser);
    await browser.signIn(first.page, email);
    await expectCode(await browser.send(`/sign-in?flow=${field(second.page, 'flow')}`), second.proof);
  });

  it('pages 7: a browser that lost its cookie offers to start again, and the same request goes on', async () => {
    const { browser, proof, page } = await atSignIn();
    browser.cookies.delete(browserCookie);
    const again = await follow(browser, restartOf(await browser.signIn(page, email)));
    expect(browser.cookies.has(browserCookie)).toBe(true);
    await expectCode(await browser.signIn(again, email), proof);
  });

  it('pages 7: a form that has lost its flow says where to begin', async () => {
    const { browser } = await atSignIn();
    const body = { email, password: 'password of u1 at a' };
    const answer = await browser.send('/sign-in', { body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Open the app you want to use and sign in from there.');
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });

  it('pages 7: /sign-in without an app asks and leads to the account', async () => {
    const browser = visitor(service, hosts.a);
    const answer = await browser.signIn(await follow(browser, '/sign-in'), email);
    expect([answer.status, answer.headers.location]).toEqual([303, '/account']);
    expect((await browser.send('/account')).text).toContain(email);
    expect((await browser.send('/sign-in')).status).toBe(303);
    expect((await follow(browser, '/sign-in')).text).toContain(email);
  });

  it('I24: a member who cancels goes back to the app with access_denied and the state', async () => {
    const { browser, page } = await atSignIn(undefined, { state: 'xyz' });
    const answer = await submit(browser, page, { action: 'cancel' });
    expect(answer.status).toBe(303);
    expect(answerOf(answer).get('error')).toBe('access_denied');
    expect(answerOf(answer).get('state')).toBe('xyz');
    expect(answerOf(answer).get('iss')).toBe('https://a.test');
    expect(answerOf(answer).has('code')).toBe(false);
  });

  it('pages 8: an error page shows a reference', async () => {
    const { browser, page } = await atSignIn();
    browser.cookies.clear();
    const reference = /Reference: ([0-9a-z]{8})/.exec((await browser.signIn(page, email)).text)?.[1];
    expect(service.logLines.some((line) => line.includes(`"reqId":"${reference}"`))).toBe(true);
  });
});
