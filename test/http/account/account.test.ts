import { beforeAll, describe, expect, it } from 'vitest';
import { sessionLife } from '../../../src/core/limits.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { setLimits, tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { type AccountVisitor, accountOf, expectLeadsTo } from '../../support/members/account.ts';
import { consentRecord } from '../../support/records/access-records.ts';
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

const pages = [
  'subscriptions',
  'devices',
  'sessions',
  'details',
  'consents',
  'email',
  'password',
  'data',
  'delete',
];

describe('the account page', () => {
  it('pages 18: greets the member, lists active subscriptions and leads to every other page', async () => {
    const page = await browser.send('/account');
    expect(page.status).toBe(200);
    const text = textOf(page);
    expect(text).toContain('Hello Member 1');
    expect(text).toContain('u1@example.test');
    expect(text).toContain('Gold');
    expect(text).toContain('Runs until February 14, 2026');
    for (const name of pages) expect(page.text).toContain(`href="/account/${name}"`);
  });

  it('pages 18: one that begins tomorrow is listed, and says when; so is one that waits for its payment', async () => {
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
    expect(text).toContain('Gold Begins on January 16, 2026');
    expect(text).not.toContain('You have no active subscription.');
    await change({ activatedAt: null });
    expect(textOf(await browser.send('/account'))).toContain('Gold Waits for payment');
    await change(before);
  });

  it('pages 18: a subscription that is over is not listed', async () => {
    const { id } = tenantOf(service, hosts.a);
    await service.store.transaction((tx) =>
      tx
        .updateTable('subscriptions')
        .set({ expiresAt: service.clock.now() })
        .where('tenantId', '=', id)
        .execute(),
    );
    expect(textOf(await browser.send('/account'))).toContain('You have no active subscription.');
  });

  it('pages 20: says once what was just done, and nothing that an address makes up', async () => {
    const isNoticed = async (path: string) => (await browser.send(path)).text.includes('role="status"');
    for (const typed of ['/account?done=password', '/account?saved=1', '/account?done=<b>']) {
      expect(await isNoticed(typed), typed).toBe(false);
    }
    await browser.submit('/account/details', { fullName: 'Ida Example' });
    expect(await isNoticed('/account/details')).toBe(false);
    expect(textOf(await browser.send('/account'))).toContain('Your details are saved.');
    expect(await isNoticed('/account')).toBe(false);
    await browser.submit('/account/details', { fullName: 'Ida Example' });
    service.clock.advance(61_000);
    await browser.send('/account', { method: 'HEAD' });
    expect(await isNoticed('/account')).toBe(true);
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
