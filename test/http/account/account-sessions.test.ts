import { describe, expect, it } from 'vitest';
import { textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { accountOf, expectDone, valuesOf } from '../../support/members/account.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { adminPassword, makeAdmin, portalOf } from '../../support/operators/portal.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });

const url = '/account/sessions';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const isSignedIn = async (browser: { send(path: string): Promise<{ status: number }> }) =>
  (await browser.send('/account')).status === 200;

describe('my browsers', () => {
  it('pages 17: lists every browser with name, address and times, this one first', async () => {
    await accountOf(service, hosts.a, 'u1@example.test', { userAgent: firefox });
    const own = await accountOf(service, hosts.a);
    const text = textOf(await own.send(url));
    expect(text).toContain('Chrome on Android This browser · 127.0.0.1 · now · since January 15, 2026');
    expect(text.indexOf('Firefox on Linux')).toBeGreaterThan(text.indexOf('Chrome on Android'));
  });

  it('pages 17: signing one out ends it at once, and no other', async () => {
    const [own, second, third] = [
      await accountOf(service, hosts.b),
      await accountOf(service, hosts.b),
      await accountOf(service, hosts.b),
    ];
    // The last used comes first.
    const session = String(valuesOf(await own.send(url), 'session')[0]);
    expectDone(await own.submit(url, { session }), url, 'signedOut');
    expect([await isSignedIn(own), await isSignedIn(second), await isSignedIn(third)]).toEqual([
      true,
      true,
      false,
    ]);
    expectDone(await own.submit(url, { session }), url, 'signedOut');
  });

  it('pages 17: signing all others out leaves this one alone', async () => {
    const others = [await accountOf(service, hosts.b), await accountOf(service, hosts.b)];
    const own = await accountOf(service, hosts.b);
    const theirs = await accountOf(service, hosts.b, 'u2@example.test');
    expectDone(await own.submit(url, { action: 'sign-out-others' }), url, 'otherSessions');
    for (const other of others) expect(await isSignedIn(other)).toBe(false);
    expect(await isSignedIn(own)).toBe(true);
    expect(await isSignedIn(theirs)).toBe(true);
    expect((await own.send(url)).text).not.toContain('sign-out-others');
  });

  it('pages 17: one of the portal is named as such, and signing it out ends it alone', async () => {
    const email = 'tina@example.test';
    await makeAdmin(service, hosts.a, email);
    const own = await accountOf(service, hosts.a, email, { password: adminPassword });
    const second = await accountOf(service, hosts.a, email, { password: adminPassword });
    const portal = await portalOf(service, hosts.a, email);
    const isInPortal = async () => (await portal.send(`/admin/tenants/${hosts.a}`)).status === 200;
    const page = await own.send(url);
    expect(textOf(page).match(/Admin portal/g)).toHaveLength(1);
    expect(await isInPortal()).toBe(true);
    // The last used comes first.
    const session = String(valuesOf(page, 'session')[0]);
    expectDone(await own.submit(url, { session }), url, 'signedOut');
    expect([await isInPortal(), await isSignedIn(second), await isSignedIn(own)]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await own.send(url)).text).not.toContain('Admin portal');
    const [last] = (await auditEvents(service)).slice(-1);
    expect(last).toMatchObject({ event: 'session_ended', actorKind: 'member', reason: 'of the portal' });
  });

  it.each([
    ['another member', hosts.a, 'u2@example.test'],
    ['another tenant', hosts.b, 'u1@example.test'],
  ])('X1: a browser of %s is not found, and nothing happens to it', async (_who, host, email) => {
    const [theirs, second] = [await accountOf(service, host, email), await accountOf(service, host, email)];
    const own = await accountOf(service, hosts.a);
    for (const session of valuesOf(await theirs.send(url), 'session')) {
      expect((await own.submit(url, { session })).status).toBe(404);
    }
    expect([await isSignedIn(theirs), await isSignedIn(second)]).toEqual([true, true]);
  });
});
