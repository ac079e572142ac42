import { beforeAll, describe, expect, it } from 'vitest';
import { sessionLife } from '../../../src/core/limits.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { codesFor, phoneOf, pollTokens, setLimits, tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import {
  type AccountVisitor,
  accountOf,
  expectDone,
  expectLeadsTo,
  valuesOf,
} from '../../support/members/account.ts';
import { consentRecord } from '../../support/records/access-records.ts';
import { apps } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { field, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: AccountVisitor;

beforeAll(async () => {
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  const { id: tenantId } = tenantOf(service, hosts.a);
  await service.store.transaction((tx) => defineConsent(tx, consentRecord({ tenantId })));
  browser = await accountOf(service, hosts.a);
});

/** The entries of the menu, and the pages below them. */
const entries = ['subscriptions', 'devices', 'details', 'sessions', 'privacy'];
const below = {
  details: ['email', 'address'],
  sessions: ['password'],
  privacy: ['consents', 'data', 'delete'],
};
const pages = [...entries.filter((entry) => entry !== 'privacy'), ...Object.values(below).flat()];

describe('the account page', () => {
  it('pages 19: has the plan first, with its next date, then the TVs and what keeps the account safe', async () => {
    const page = await browser.send('/account');
    expect(page.status).toBe(200);
    const text = textOf(page);
    const parts = [
      'u1@example.test',
      'Hello, M1',
      'Active Gold Ends on February 14, 2026',
      'TVs and devices No TV or app is signed in yet. Sign in on a TV',
      'Security Password Changed on January 15, 2026 Change',
      'Last sign-in Now · This browser',
      'Browsers Where you are signed in Manage',
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places, text).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page.text).toContain('href="/device"');
  });

  it('pages 18: its menu leads to every part, names the one that is open, and the parts lead to the rest', async () => {
    for (const entry of ['', ...entries]) {
      const path = entry === '' ? '/account' : `/account/${entry}`;
      const page = await browser.send(path);
      const menu = /<ul class="entries"[\s\S]*?<\/ul>/.exec(page.text)?.[0] ?? '';
      const links = [...menu.matchAll(/href="([^"]*)"(?: aria-current="(\w+)")?/g)];
      expect(links.map(([, href]) => href)).toEqual(['/account', ...entries.map((one) => `/account/${one}`)]);
      expect(links.filter(([, , current]) => current === 'page').map(([, href]) => href)).toEqual([path]);
      for (const page2 of below[entry as keyof typeof below] ?? []) {
        expect(page.text).toContain(`href="/account/${page2}"`);
        const lower = await browser.send(`/account/${page2}`);
        expect(lower.text).toContain(`href="${path}" aria-current="true"`);
        expect(lower.text).toContain(`<p class="back"><a href="${path}">`);
      }
    }
  });

  it('pages 18: a subscription that begins tomorrow is shown, and says when; so is one that waits for its payment', async () => {
    const { id } = tenantOf(service, hosts.a);
    const change = (changes: object) =>
      service.store.transaction((tx) =>
        tx.updateTable('subscriptions').set(changes).where('tenantId', '=', id).execute(),
      );
    const before = await service.store.transaction((tx) =>
      tx
        .selectFrom('subscriptions')
        .select(['state', 'activatedAt'])
        .where('tenantId', '=', id)
        .executeTakeFirstOrThrow(),
    );
    await change({ state: 'pending', activatedAt: service.clock.now() + 24 * 60 * 60_000 });
    const text = textOf(await browser.send('/account'));
    expect(text).toContain('Not started yet Gold Begins on January 16, 2026');
    expect(text).not.toContain('You have no subscription yet.');
    await change({ activatedAt: null });
    const waiting = textOf(await browser.send('/account'));
    expect(waiting).toContain('Waiting for payment Gold Begins when your payment arrives');
    await change(before);
  });

  it('pages 18: a subscription that is over is not shown', async () => {
    const { id } = tenantOf(service, hosts.a);
    await service.store.transaction((tx) =>
      tx
        .updateTable('subscriptions')
        .set({ expiresAt: service.clock.now() })
        .where('tenantId', '=', id)
        .execute(),
    );
    expect(textOf(await browser.send('/account'))).toContain('You have no subscription yet.');
  });

  it('pages 17: shows the newest three TVs and apps, signs one out and says which', async () => {
    for (const name of ['First', 'Second', 'Third', 'Fourth']) {
      const phone = await phoneOf(service, hosts.a);
      const codes = await codesFor(service, hosts.a, apps.pub1, { device_name: name });
      await phone.approve(codes.user_code);
      await pollTokens(service, hosts.a, codes.device_code);
      service.clock.advance(60_000);
    }
    const page = await browser.send('/account');
    expect(textOf(page)).toMatch(
      /Fourth Public One · 1 minute ago Sign out Third .* Second .* See all Sign in on another TV/,
    );
    expect(textOf(page)).not.toContain('First');
    const [signIn = ''] = valuesOf(page, 'signIn');
    const body = { token: field(page, 'token'), signIn, from: 'overview', action: 'sign-out' };
    expectDone(await browser.send('/account/devices', { body }), '/account', 'signedOut');
    expect(textOf(await browser.send('/account'))).toContain('Fourth is signed out.');
  });

  it('pages 17: leads from the newest sign-in of another browser to the page that takes it back', async () => {
    const other = await accountOf(service, hosts.a);
    const page = await browser.send('/account');
    expect(textOf(page)).toContain('Last sign-in Now · Chrome on Android Not me');
    const notMe = await browser.send(String(/href="(\/not-me\/[^"]*)"/.exec(page.text)?.[1]));
    expect(textOf(notMe)).toContain('Was it you?');
    await other.submit('/account/sessions', { action: 'sign-out-others' });
    browser = await accountOf(service, hosts.a);
  });

  it('pages 22: a new name of a TV has "Undo" on the next page, which gives it the former one', async () => {
    const page = await browser.send('/account/devices');
    const [signIn = ''] = valuesOf(page, 'signIn');
    await browser.submit('/account/devices', { signIn, action: 'rename', label: 'Attic' });
    const renamed = await browser.send('/account/devices');
    expect(textOf(renamed)).toContain('Renamed to Attic. Undo');
    const form = /<div class="notice">[\s\S]*?<\/form>/.exec(renamed.text)?.[0] ?? '';
    const body = Object.fromEntries(
      [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        String(name),
        String(value),
      ]),
    );
    await browser.send('/account/devices', { body });
    const undone = textOf(await browser.send('/account/devices'));
    expect(undone).toContain('Renamed to Third.');
    expect(undone).not.toContain('Attic is');
  });

  it('pages 20: says once what was just done, and nothing that an address makes up', async () => {
    const isNoticed = async (path: string) => (await browser.send(path)).text.includes('role="status"');
    for (const typed of ['/account?done=password', '/account?saved=1', '/account?done=<b>']) {
      expect(await isNoticed(typed), typed).toBe(false);
    }
    await browser.submit('/account/details', { fullName: 'Ida Example' });
    expect(await isNoticed('/account')).toBe(false);
    expect(textOf(await browser.send('/account/details'))).toContain('Your details are saved.');
    expect(await isNoticed('/account/details')).toBe(false);
    await browser.submit('/account/details', { fullName: 'Ida Example' });
    service.clock.advance(61_000);
    await browser.send('/account/details', { method: 'HEAD' });
    expect(await isNoticed('/account/details')).toBe(true);
  });

  it('U14: a browser that lost the cookie of its forms is given one for all forms of a page', async () => {
    const own = await accountOf(service, hosts.a);
    own.cookies.delete('__Host-memberdoor-browser');
    const page = await own.send('/account/details');
    const body = { token: field(page, 'token'), fullName: 'Ida Example', language: 'en' };
    expectDone(await own.send('/account/details', { body }), '/account/details', 'details');
    const confirm = field(await own.send('/account'), 'confirm');
    const signedOut = await own.send('/api/oidc/session/end', { body: { confirm } });
    expect(textOf(signedOut)).toContain('You are signed out');
  });

  it('speaks the language the member chose', async () => {
    const { id } = tenantOf(service, hosts.a);
    const set = (locale: string) =>
      service.store.transaction((tx) =>
        tx.updateTable('members').set({ locale }).where('tenantId', '=', id).execute(),
      );
    await set('nb');
    expect((await browser.send('/account')).headers['content-language']).toBe('nb');
    await set('en');
  });
});

describe.each(pages.map((name) => `/account/${name}`))('%s', (url) => {
  it('pages 7: asks a stranger to sign in, and goes on from there', async () => {
    const stranger = visitor(service, hosts.a);
    const first = await stranger.send(url);
    expect(first.status).toBe(303);
    expect(first.headers.location).toMatch(/^\/sign-in\?flow=/);
    expectLeadsTo(
      await stranger.signIn(await stranger.send(String(first.headers.location)), 'u1@example.test'),
      url,
    );
    expect((await stranger.send(url)).status).toBe(200);
  });

  it('U14: a form without its token is refused with 403', async () => {
    expect((await browser.send(url, { body: { action: 'sign-out-all' } })).status).toBe(403);
  });

  it("U14: a form with the token of another browser's session is refused with 403", async () => {
    const other = await accountOf(service, hosts.a);
    const token = field(await other.send('/account/details'), 'token');
    expect((await browser.send(url, { body: { token } })).status).toBe(403);
  });

  it('U14: a form of another site is refused with 403, with the right token too', async () => {
    const token = field(await browser.send('/account/details'), 'token');
    for (const headers of [
      { origin: 'https://evil.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'content-type': 'text/plain' },
    ]) {
      expect((await browser.send(url, { body: { token }, headers })).status).toBe(403);
    }
  });

  it('H7: another method is refused', async () => {
    expect((await browser.send(url, { method: 'PUT' })).status).toBe(405);
  });
});

describe('a session that is over', () => {
  it('pages 7: a form sent too late leads to the sign-in, which leads back', async () => {
    const late = await accountOf(service, hosts.a, 'u2@example.test');
    const token = field(await late.send('/account/details'), 'token');
    service.clock.advance(sessionLife.member.idle);
    const answer = await late.send('/account/details', { body: { token, fullName: 'Too late' } });
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
    const back = await late.signIn(await late.send(String(answer.headers.location)), 'u2@example.test');
    expectLeadsTo(back, '/account/details');
    expect(field(await late.send('/account/details'), 'fullName')).toBe('Member 2');
  });
});

describe('/.well-known/change-password', () => {
  it('pages 9: leads a password manager to the form', async () => {
    expectLeadsTo(await browser.send('/.well-known/change-password'), '/account/password');
  });
});
