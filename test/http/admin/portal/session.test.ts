import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionLife } from '../../../../src/core/limits.ts';
import { hosts } from '../../../support/fixtures.ts';
import { accountOf } from '../../../support/members/account.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';
import {
  adminPassword,
  makeAdmin,
  type PortalVisitor,
  plain,
  portalOf,
  signInToPortal,
} from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';
import { field, type Visitor, visitor } from '../../../support/visitor.ts';

const tina = 'tina@example.test';
const sam = 'sam@example.test';
const adminCookie = '__Host-memberdoor-admin';
const home = `/admin/tenants/${hosts.a}`;
const minute = 60_000;

const service = useService({ data: 'security' });
let tinaId: string;

beforeAll(async () => {
  tinaId = await makeAdmin(service, hosts.a, tina);
  await makeAdmin(service, hosts.a, sam, 'system_admin');
});
// What fails on purpose must not add up to the limit of a minute.
beforeEach(() => service.clock.advance(16 * minute));

/** Holds a browser to being a stranger to the portal: every page leads to the sign-in. */
async function expectStranger(browser: Pick<Visitor, 'send'>, path = home): Promise<void> {
  const answer = await browser.send(path);
  expect({ status: answer.status, location: answer.headers.location }).toEqual({
    status: 303,
    location: `/admin/sign-in?next=${encodeURIComponent(path)}`,
  });
}

describe('the cookie of the portal', () => {
  it('W3: has a name of its own, and is Secure, HttpOnly, host-only, Strict, for eight hours', async () => {
    const answer = await signInToPortal(visitor(service, hosts.a), tina);
    const cookies = answer.headers['set-cookie'] ?? [];
    const own = cookies.filter((line) => line.startsWith(`${adminCookie}=`));
    expect(own).toHaveLength(1);
    const [, ...attributes] = String(own[0]).split('; ');
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=28800', 'Path=/', 'SameSite=Strict', 'Secure']);
    expect(cookies.some((line) => line.startsWith('__Host-memberdoor-session='))).toBe(false);
  });

  it('A17: a member’s session opens no page of the portal', async () => {
    await expectStranger(await accountOf(service, hosts.a));
    const own = await accountOf(service, hosts.a, tina, { password: adminPassword });
    await expectStranger(own);
    // Nor does its secret under the other name.
    own.cookies.set(adminCookie, String(own.cookies.get('__Host-memberdoor-session')));
    await expectStranger(own);
  });

  it('A17: the portal’s session opens no page of the members', async () => {
    const browser = await portalOf(service, hosts.a, tina);
    expect((await browser.send('/account')).headers.location).toBe('/sign-in');
    browser.cookies.set('__Host-memberdoor-session', String(browser.cookies.get(adminCookie)));
    expect((await browser.send('/account')).headers.location).toBe('/sign-in');
    expect((await browser.send(home)).status).toBe(200);
  });

  it('X1: the cookie of one tenant opens nothing on another', async () => {
    const browser = await portalOf(service, hosts.a, sam);
    const other = visitor(service, hosts.b);
    other.cookies.set(adminCookie, String(browser.cookies.get(adminCookie)));
    await expectStranger(other, `/admin/tenants/${hosts.b}`);
  });
});

describe('a session of the portal', () => {
  it('ends after 30 minutes without use', async () => {
    const browser = await portalOf(service, hosts.a, tina);
    for (let times = 0; times < 3; times += 1) {
      service.clock.advance(sessionLife.admin.idle - minute);
      expect((await browser.send(home)).status).toBe(200);
    }
    service.clock.advance(sessionLife.admin.idle);
    await expectStranger(browser);
  });

  it('ends after eight hours however busy it is', async () => {
    const browser = await portalOf(service, hosts.a, tina);
    const begun = service.clock.now();
    while (service.clock.now() + 20 * minute < begun + sessionLife.admin.absolute) {
      service.clock.advance(20 * minute);
      expect((await browser.send(home)).status).toBe(200);
    }
    service.clock.advance(20 * minute);
    await expectStranger(browser);
  });

  it('A8: signing in anew gives another cookie and eight new hours; the old one is dead', async () => {
    const browser = await portalOf(service, hosts.a, tina);
    const old = String(browser.cookies.get(adminCookie));
    // The page itself leads on while the session lives, so its form is from before.
    const fresh = visitor(service, hosts.a);
    const page = await fresh.send('/admin/sign-in');
    for (const [name, value] of fresh.cookies) browser.cookies.set(name, value);
    service.clock.advance(20 * minute);
    const body = { token: field(page, 'token'), next: '', email: tina, password: adminPassword };
    expect((await browser.send('/admin/sign-in', { body })).status).toBe(303);
    expect(browser.cookies.get(adminCookie)).not.toBe(old);
    const thief = visitor(service, hosts.a);
    thief.cookies.set(adminCookie, old);
    await expectStranger(thief);
    const rows = await service.store.transaction((tx) =>
      tx
        .selectFrom('sessions')
        .selectAll()
        .where('kind', '=', 'admin')
        .where('state', '=', 'active')
        .execute(),
    );
    const begun = rows.filter(({ memberId }) => memberId === tinaId).at(-1)?.createdAt;
    expect(begun).toBeGreaterThan(service.clock.now() - minute);
  });

  it('signs out: the cookie is gone and its value dead', async () => {
    const browser = await portalOf(service, hosts.a, tina);
    const value = String(browser.cookies.get(adminCookie));
    const answer = await browser.send('/admin/sign-out', {
      body: { token: field(await browser.send(home), 'token') },
    });
    expect(answer.headers.location).toBe('/admin/sign-in');
    expect(browser.cookies.has(adminCookie)).toBe(false);
    browser.cookies.set(adminCookie, value);
    await expectStranger(browser);
    expect((await browser.send('/admin/sign-in')).text).toContain('You are signed out.');
    expect((await browser.send('/admin/sign-in?done=signed-out')).text).not.toContain('You are signed out.');
  });

  it('A14: ends with the account, and with what made its owner an administrator', async () => {
    const id = await makeAdmin(service, hosts.a, 'demoted@example.test');
    const browser = await portalOf(service, hosts.a, 'demoted@example.test');
    await service.store.transaction((tx) =>
      tx.updateTable('members').set({ userType: 'member' }).where('id', '=', id).execute(),
    );
    await expectStranger(browser);
    await run(service, 'members.change', { tenant: hosts.a, memberId: id, userType: 'tenant_admin' });
    await expectStranger(browser);
    const again = await portalOf(service, hosts.a, 'demoted@example.test');
    await run(service, 'members.disable', { tenant: hosts.a, memberId: id });
    await expectStranger(again);
  });

  it('mails its administrator when it begins in a browser that was not used before', async () => {
    await portalOf(service, hosts.a, tina);
    await portalOf(service, hosts.a, tina);
    await service.delivered();
    expect(service.outbox.last(tina).name).toBe('newBrowser');
  });
});

describe('every form of the portal', () => {
  let browser: PortalVisitor;
  let token: string;
  const name = () => service.tenants.byHost(hosts.a)?.name;
  const change = `${home}/+change`;

  beforeEach(async () => {
    browser = await portalOf(service, hosts.a, tina);
    token = field(await browser.send(change), 'token');
  });

  it.each([
    ['without its seal', async () => ({})],
    [
      'with another session’s seal',
      async () => ({
        token: field(await (await portalOf(service, hosts.a, sam)).send(change), 'token'),
      }),
    ],
    [
      'with the seal of the account pages',
      async () => ({
        token: field(await (await accountOf(service, hosts.a)).send('/account/details'), 'token'),
      }),
    ],
    ['with a broken seal', async () => ({ token: `${token.slice(0, -1)}x` })],
  ] as const)('U14: %s is refused with 403, and changes nothing', async (_what, seal) => {
    const answer = await browser.send(change, { body: { ...(await seal()), name: 'Mallory' } });
    expect(answer.status).toBe(403);
    expect(name()).toBe('Tenant A');
    expect((await auditEvents(service)).at(-1)).toMatchObject({ event: 'form_refused', result: 'refused' });
  });

  it.each([
    ['of another origin', { origin: 'https://evil.test' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['as text', { 'content-type': 'text/plain' }],
    ['as JSON', { 'content-type': 'application/json' }],
  ])('U14: %s is refused with 403 though its seal is right, and changes nothing', async (_what, headers) => {
    const answer = await browser.send(change, { body: { token, name: 'Mallory' }, headers });
    expect(answer.status).toBe(403);
    expect(name()).toBe('Tenant A');
  });

  it('U14: with its own seal it is taken', async () => {
    expect((await browser.submit(change, { name: 'Tenant A' })).status).toBe(303);
  });

  it('H7: another method is refused', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      expect((await browser.send(change, { method })).status).toBe(405);
    }
  });

  it('pages 7: after the session is over a form leads to the sign-in, which leads back', async () => {
    service.clock.advance(sessionLife.admin.idle);
    const answer = await browser.send(change, { body: { token, name: 'Too late' } });
    expect(answer.headers.location).toBe(`/admin/sign-in?next=${encodeURIComponent(change)}`);
    expect(name()).toBe('Tenant A');
  });

  it('W1: pages carry their own policy, and are kept nowhere', async () => {
    for (const path of [home, `${home}/nothing`, change]) {
      const { headers, text } = await browser.send(path);
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*form-action 'self';/);
      expect(headers['cache-control']).toBe('no-store');
      expect(plain(text)).toContain('<html lang="en"');
    }
  });
});
