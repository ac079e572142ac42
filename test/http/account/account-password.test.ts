import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { day, signInLimit } from '../../../src/core/limits.ts';
import {
  isTrustedBrowser,
  saveKnownBrowser,
  trustBrowser,
} from '../../../src/storage/members/known-browser.ts';
import type { Tx } from '../../../src/storage/store.ts';
import { expectEndedSignIn, setLimits, textOf } from '../../support/device.ts';
import { hosts, passwords } from '../../support/fixtures.ts';
import { type AccountVisitor, accountOf, expectDone } from '../../support/members/account.ts';
import { givePasskey } from '../../support/members/soft-passkey.ts';
import { run } from '../../support/operators/desk.ts';
import { apps, refreshAs } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { field, tokensFor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: AccountVisitor;
let current: string;
let count = 0;

beforeAll(async () => {
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  current = passwords[hosts.a]['u1@example.test'];
});
beforeEach(async () => {
  service.clock.advance(signInLimit.memory);
  browser = await accountOf(service, hosts.a, 'u1@example.test', { password: current });
});

const url = '/account/password';
const session = '__Host-memberdoor-session';

/** Changes the password to a new one. */
const change = async (account: AccountVisitor, more: Record<string, string> = { everywhere: 'yes' }) => {
  count += 1;
  const password = `a quite long phrase number ${count}`;
  const answer = await account.submit(url, { currentPassword: current, password, ...more });
  if (answer.status === 303) current = password;
  return answer;
};

const isSignedIn = async (account: AccountVisitor) => (await account.send('/account')).status === 200;

const signsIn = async (password: string) => {
  const account = visitor(service, hosts.a);
  const page = await account.send(String((await account.send('/sign-in')).headers.location));
  return (await account.signIn(page, 'u1@example.test', password)).status === 303;
};

describe('changing the password', () => {
  it('pages 18: the new one works, the old one does not, and a mail says so', async () => {
    const old = current;
    expectDone(await change(browser), '/account/sessions', 'password');
    expect([await signsIn(old), await signsIn(current)]).toEqual([false, true]);
    await service.delivered();
    const mail = service.outbox.sent.find(({ name }) => name === 'passwordChanged');
    expect(mail?.to).toBe('u1@example.test');
    expect(mail?.text).toContain('Place: 127.0.0.1');
    expect(mail?.text).toContain('https://a.test/recover');
  });

  it('every other browser, app and TV is signed out with it, where the box is ticked', async () => {
    const other = await accountOf(service, hosts.a, 'u1@example.test', { password: current });
    const tokens = await tokensFor(service, hosts.a, {}, other);
    await change(browser);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    await expectEndedSignIn(service, hosts.a, tokens);
  });

  it('the box is ticked to begin with, and nothing else ends where it is not', async () => {
    expect((await browser.send(url)).text).toMatch(/<input id="everywhere"[^>]* checked>/);
    const other = await accountOf(service, hosts.a, 'u1@example.test', { password: current });
    const tokens = await tokensFor(service, hosts.a, {}, other);
    await change(browser, {});
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, true]);
    expect((await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token)).status).toBe(200);
  });

  it('ASVS 7.2.4: the cookie changes with it, and the old value is dead', async () => {
    const before = String(browser.cookies.get(session));
    await change(browser, {});
    expect(browser.cookies.get(session)).not.toBe(before);
    browser.cookies.set(session, before);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it.each([
    ['', 'Enter a password'],
    ['short', 'Enter at least 12 characters'],
    ['passwordpassword', 'Choose a less common password'],
    ['u1@example.test', 'Your password can’t be your email address'],
  ])('pages 6: "%s" is refused beside its field, and no password is sent back', async (password, text) => {
    const answer = await browser.submit(url, { currentPassword: current, password, everywhere: 'yes' });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain(text);
    expect(answer.text).toMatch(/id="password"[^>]*aria-invalid="true"/);
    expect(answer.text).not.toContain(current);
    expect(await signsIn(current)).toBe(true);
  });
});

const sensitive: Readonly<Record<string, Record<string, string>>> = {
  '/account/password': { password: 'a quite long phrase indeed' },
  '/account/email': { email: 'new@example.test' },
  '/account/data': {},
  '/account/delete': {},
};

describe.each(Object.entries(sensitive))('the password that %s asks for', (page, form) => {
  it('a stolen cookie alone changes nothing: a missing and a wrong password are refused at the field', async () => {
    for (const [currentPassword, text] of [
      ['', 'Enter your current password'],
      ['not the password', 'That password is wrong'],
    ]) {
      const answer = await browser.submit(page, { ...form, currentPassword: String(currentPassword) });
      expect(answer.status).toBe(422);
      expect(textOf(answer)).toContain(String(text));
      expect(answer.text).toMatch(/id="currentPassword"[^>]*aria-invalid="true"/);
    }
    expect(await signsIn(current)).toBe(true);
  });

  it('A6: wrong ones are limited in a known browser too, the right one is not taken then', async () => {
    for (let guess = 0; guess < signInLimit.failures; guess += 1) {
      expect((await browser.submit(page, { ...form, currentPassword: `guess ${guess}` })).status).toBe(422);
    }
    const answer = await browser.submit(page, { ...form, currentPassword: current });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    service.clock.advance(signInLimit.firstWait);
    const right = await browser.submit(page, { ...form, currentPassword: current });
    expect([200, 303]).toContain(right.status);
    if (page === url) current = String(form.password);
  });

  it('A6: of thirty at once no more are answered than in turn, and a guesser who must wait learns nothing', async () => {
    const guesses = Array.from({ length: 30 }, (_, index) => (index === 25 ? current : `guess ${index}`));
    const answers = await Promise.all(
      guesses.map((currentPassword) => browser.submit(page, { ...form, currentPassword })),
    );
    const wrong = answers.filter(({ status }) => status === 422);
    const waiting = answers.filter(({ status }) => status === 429);
    expect([wrong.length, waiting.length]).toEqual([signInLimit.failures, 30 - signInLimit.failures]);
    expect(waiting).toContain(answers[25]);
  });

  it('A6: wrong ones count against the sign-in from elsewhere', async () => {
    for (let guess = 0; guess < signInLimit.failures; guess += 1) {
      await browser.submit(page, { ...form, currentPassword: `guess ${guess}` });
    }
    const stranger = visitor(service, hosts.a);
    const at = await stranger.send(String((await stranger.send('/sign-in')).headers.location));
    expect((await stranger.signIn(at, 'u1@example.test', current)).status).toBe(429);
  });

  it('A6: guesses from another browser do not lock a member out of these pages', async () => {
    const stranger = visitor(service, hosts.a);
    const at = await stranger.send(String((await stranger.send('/sign-in')).headers.location));
    for (let guess = 0; guess < 2 * signInLimit.failures; guess += 1) {
      await stranger.signIn(at, 'u1@example.test', `guess ${guess}`);
    }
    const password = { ...form, ...(page === url ? { password: 'yet another long phrase' } : {}) };
    const answer = await browser.submit(page, { ...password, currentPassword: current });
    expect([200, 303]).toContain(answer.status);
    if (page === url) current = String(password.password);
  });
});

describe('the form', () => {
  it('pages 9: names the account and the fields for a password manager', async () => {
    const page = await browser.send(url);
    expect(field(page, 'username')).toBe('u1@example.test');
    expect(page.text).toMatch(/name="currentPassword"[^>]*autocomplete="current-password"/);
    expect(page.text).toMatch(/name="password"[^>]*autocomplete="new-password"/);
  });
});

it('ASVS 6.3.7, SF8: a mail tells a member that the password was taken away, and no browser is trusted any more', async () => {
  await run(service, 'tenants.change', { tenant: hosts.a, passkeys: 'on' });
  const own = { email: 'removes@example.test', password: 'kvist og eld i skogen' };
  const facts = { tenant: hosts.a, fullName: 'No Password', ...own };
  const { id } = await run<{ id: string }>(service, 'members.create', facts);
  const account = await accountOf(service, hosts.a, own.email, own);
  const remove = () => account.submit(`${url}/remove`, { currentPassword: own.password });
  const removals = async () => {
    await service.delivered();
    return service.outbox.sent.filter(({ to, name }) => to === own.email && name === 'passwordRemoved');
  };
  // It is the last way in.
  expect((await remove()).status).toBe(422);
  expect(await removals()).toEqual([]);
  await givePasskey(service, id);
  // SF8: a browser was trusted beside the password.
  const until = service.clock.now() + day;
  await service.store.transaction(async (tx) => {
    await saveKnownBrowser(tx, id, 'a browser', service.clock.now());
    await trustBrowser(tx, id, 'a browser', until);
  });
  expectDone(await remove(), '/account/sessions', 'passwordRemoved');
  const isTrusted = (tx: Tx) => isTrustedBrowser(tx, id, 'a browser', service.clock.now());
  expect(await service.store.transaction(isTrusted)).toBe(false);
  const told = await removals();
  expect(told).toHaveLength(1);
  expect(told[0]?.text).toContain('Place: 127.0.0.1');
  expect(told[0]?.text).toContain('https://a.test/recover');
});
