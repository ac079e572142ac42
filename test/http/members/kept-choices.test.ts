import { beforeAll, describe, expect, it } from 'vitest';
import { detailChangesPerHour } from '../../../src/core/members/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import { accountOf } from '../../support/members/account.ts';
import { storedMember } from '../../support/members/sign-up.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';
import {
  authorizationParameters,
  field,
  pkce,
  type Visitor,
  visitor,
  wayFrom,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const request = (more: Record<string, string> = {}) =>
  authorizationParameters('pub1', 'https://pub1.test/cb', pkce(), more);

/** The address that a page's switcher leads back to. */
const pageIn = ({ text }: { readonly text: string }) =>
  String(/name="page" value="([^"]*)"/.exec(text)?.[1]).replaceAll('&amp;', '&');

/** Chooses a language at the foot of a page, and opens where that leads. */
const choose = async (browser: Visitor, page: { readonly text: string }, language: string) => {
  const answer = await browser.send('/language', { body: { page: pageIn(page), language } });
  expect(answer.status).toBe(303);
  let shown = await browser.send(String(answer.headers.location));
  while (shown.headers.location?.startsWith('/') === true) shown = await browser.send(shown.headers.location);
  return shown;
};

const languageOf = ({ headers }: { readonly headers: Record<string, unknown> }) =>
  headers['content-language'];

describe('pages 4: a language that was chosen', () => {
  it('stays with the browser, on every page that is opened later', async () => {
    const browser = visitor(service, hosts.a);
    const page = await browser.send('/nothing');
    expect(languageOf(page)).toBe('en');
    const shown = await choose(browser, page, 'fi');
    expect([shown.status, languageOf(shown)]).toEqual([404, 'fi']);
    for (const path of ['/recover', '/device', '/recover/reset/none']) {
      let later = await browser.send(path);
      while (later.headers.location !== undefined) later = await browser.send(later.headers.location);
      expect(languageOf(later), path).toBe('fi');
    }
    expect(languageOf(await browser.authorize(request()))).toBe('fi');
    // What an app asks for comes first, and what is chosen on its page comes before that.
    const asked = await browser.authorize(request({ ui_locales: 'de' }));
    expect(languageOf(asked)).toBe('de');
    const chosen = await choose(browser, asked, 'pl');
    expect(languageOf(chosen)).toBe('pl');
    expect(languageOf(await wayFrom(browser, chosen, '/sign-in', 'recover'))).toBe('pl');
  });

  it('stays with the member who is signed in, and goes where the member says so', async () => {
    const account = await accountOf(service, hosts.a);
    const shown = await choose(account, await account.send('/account/details'), 'nb');
    expect(languageOf(shown)).toBe('nb');
    expect((await storedMember(service, hosts.a, 'u1@example.test'))?.locale).toBe('nb');
    // Elsewhere the member's own choice is all there is to go by.
    const elsewhere = await accountOf(service, hosts.a);
    expect(languageOf(await elsewhere.send('/account'))).toBe('nb');
    await account.submit('/account/details', { fullName: 'Member 1', language: 'sv' });
    expect(languageOf(await account.send('/account'))).toBe('sv');
    await account.submit('/account/details', { fullName: 'Member 1', language: '' });
    const headers = { 'accept-language': 'da' };
    expect(languageOf(await account.send('/account', { headers }))).toBe('da');
  });

  it('EV27: two hundred choices at once, by a member or without one, are told sixty times at most', async () => {
    const account = await accountOf(service, hosts.a, 'u2@example.test');
    const changes = async () => {
      const listed = { tenant: hosts.a, event: 'member_changed', limit: 100 };
      const { events } = await run<{ events: readonly { target: string }[] }>(service, 'audit.list', listed);
      const member = await storedMember(service, hosts.a, 'u2@example.test');
      return events.filter(({ target }) => target === member?.id).length;
    };
    const pick = (browser: Visitor, index: number) =>
      browser.send('/language', { body: { page: '/', language: index % 2 === 0 ? 'nb' : 'sv' } });
    const stranger = visitor(service, hosts.a);
    for (let i = 0; i < 200; i += 1) expect((await pick(account, i)).status).toBe(303);
    await Promise.all(Array.from({ length: 200 }, (_, index) => pick(account, index)));
    await Promise.all(Array.from({ length: 200 }, (_, index) => pick(stranger, index)));
    expect(await changes()).toBe(detailChangesPerHour);
    // The browser goes on in the language that was chosen last, and other details wait too.
    await pick(account, 1);
    expect(languageOf(await stranger.send('/nothing'))).toMatch(/nb|sv/);
    const refused = await account.submit('/account/details', { fullName: 'Member 2' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await changes()).toBe(detailChangesPerHour);
    service.clock.advance(3_600_000);
    const again = await accountOf(service, hosts.a, 'u2@example.test');
    expect((await again.submit('/account/details', { fullName: 'Member 2' })).status).toBe(303);
  });

  it('K2: leads back to no address but its own, and is one that the tenant offers', async () => {
    const browser = visitor(service, hosts.b);
    await run(service, 'tenants.change', { tenant: hosts.b, languages: ['en', 'nb'] });
    const answer = async (page: string, language = 'nb') =>
      (await browser.send('/language', { body: { page, language } })).headers.location;
    for (const page of [
      '//evil.test/',
      '/\\evil.test',
      '/.//evil.test',
      'https://evil.test/',
      'javascript:x',
      '',
    ]) {
      expect(await answer(page), page).toBe('/');
    }
    expect(await answer('/account?a=1', 'de')).toBe('/account?a=1');
    expect(languageOf(await browser.send('/nothing'))).toBe('nb');
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const body = { page: '/account', language: 'en' };
    expect((await browser.send('/language', { body, headers: foreign })).status).toBe(403);
  });
});

describe('pages 20: an address that was typed', () => {
  let browser: Visitor;
  beforeAll(() => {
    browser = visitor(service, hosts.a);
  });

  it('is not asked for again from the sign-in to a new password and to a new account, and back', async () => {
    const email = 'typed.once@example.test';
    const signIn = await browser.authorize(request());
    const recover = await wayFrom(browser, signIn, '/sign-in', 'recover', { email });
    expect(field(recover, 'email')).toBe(email);
    const back = await wayFrom(browser, recover, '/recover', 'sign-in', { email });
    expect(field(back, 'email')).toBe(email);
    const signUp = await wayFrom(browser, back, '/sign-in', 'sign-up', { email });
    expect(field(signUp, 'email')).toBe(email);
    const wrong = await browser.send('/sign-up', { body: { flow: field(signUp, 'flow'), email } });
    const again = await wayFrom(browser, wrong, '/sign-up', 'sign-in', { email });
    expect(field(again, 'email')).toBe(email);
    const failed = await browser.signIn(again, email, 'not the password');
    expect(field(failed, 'email')).toBe(email);
    expect(field(await wayFrom(browser, failed, '/sign-in', 'recover', { email }), 'email')).toBe(email);
  });

  it('W9: stands in no address, neither in clear nor in a seal that can be read', async () => {
    const email = 'not.to.be.read@example.test';
    const signIn = await browser.authorize(request());
    const body = { flow: field(signIn, 'flow'), email, action: 'recover' };
    const { headers } = await browser.send('/sign-in', { body });
    const location = decodeURIComponent(String(headers.location));
    const readable = location.split(/[.=~]/).map((part) => Buffer.from(part, 'base64url').toString());
    for (const text of [location, ...readable]) expect(text).not.toContain('not.to.be.read');
  });
});
