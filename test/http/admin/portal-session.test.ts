import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionLife } from '../../../src/core/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import { accountOf } from '../../support/members/account.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import {
  adminPassword,
  makeAdmin,
  type PortalVisitor,
  plain,
  portalOf,
  signInToPortal,
} from '../../support/operators/portal.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { field, type Visitor, visitor } from '../../support/visitor.ts';

const tina = 'tina@example.test';
const sam = 'sam@example.test';
const adminCookie = '__Host-memberdoor-admin';
const home = `/admin/tenants/${hosts.a}`;
const minute = 60_000;

let service: TestService;
let tinaId: string;

beforeAll(async () => {
  service = await startTestService({ data: 'security' });
  tinaId = await makeAdmin(service, hosts.a, tina);
  await makeAdmin(service, hosts.a, sam, 'system_admin');
});
afterAll(() => service.stop());
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

/** An answer without what differs each time. */
const same = (text: string) =>
  text.replaceAll(/name="token" value="[^"]*"/g, 'TOKEN').replaceAll(/name="email"[^>]*>/g, 'EMAIL');

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
    expect(answer.headers.location).toBe('/admin/sign-in?done=signed-out');
    expect(browser.cookies.has(adminCookie)).toBe(false);
    browser.cookies.set(adminCookie, value);
    await expectStranger(browser);
    expect((await browser.send('/admin/sign-in?done=signed-out')).text).toContain('You are signed out.');
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

  it('mails whoever it is of when it begins in a browser that was not used before', async () => {
    await portalOf(service, hosts.a, tina);
    await portalOf(service, hosts.a, tina);
    await service.delivered();
    expect(service.outbox.last(tina).name).toBe('newBrowser');
  });
});

describe('the sign-in of the portal', () => {
  const tryIn = (email: string, password: string, host: string = hosts.a) =>
    signInToPortal(visitor(service, host), email, password);

  it('A1, A17: a wrong password, an unknown address, a member and another tenant’s administrator are one answer', async () => {
    await run(service, 'members.create', {
      tenant: hosts.a,
      email: 'off@example.test',
      fullName: 'Off',
      userType: 'tenant_admin',
      password: adminPassword,
    }).then(({ id }) => run(service, 'members.disable', { tenant: hosts.a, memberId: id }));
    const answers = [
      await tryIn(tina, 'a wrong password'),
      await tryIn('nobody@example.test', adminPassword),
      await tryIn('u1@example.test', 'password of u1 at a'),
      await tryIn('off@example.test', adminPassword),
      await tryIn(tina, adminPassword, hosts.b),
      await tryIn(sam, adminPassword, hosts.b),
    ];
    for (const { status, text, headers } of answers) {
      expect(status).toBe(422);
      expect(same(text).replaceAll('Tenant B', 'Tenant A').replace('>B<', '>A<')).toBe(
        same(String(answers[0]?.text)),
      );
      expect(headers['set-cookie'] ?? []).toEqual([]);
    }
  });

  it('A6: a member’s right password counts as a wrong one, so that the limit does not tell', async () => {
    const statuses = async (password: string, email: string) => {
      const found: number[] = [];
      for (let times = 0; times < 7; times += 1) found.push((await tryIn(email, password)).status);
      return found;
    };
    await makeAdmin(service, hosts.a, 'limited@example.test');
    const right = await statuses('password of u2 at a', 'u2@example.test');
    expect(right).toEqual(await statuses('a wrong password', 'limited@example.test'));
    expect(right).toContain(429);
  });

  it('pages 6: keeps the address and not the password, and names what is missing', async () => {
    const answer = await tryIn(tina, '');
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<title>Error: Sign in to the portal – Tenant A</title>');
    expect(answer.text).toContain('Enter your password.');
    expect(field(answer, 'email')).toBe(tina);
    expect((await tryIn(tina, 'a wrong password')).text).not.toContain('a wrong password');
    expect((await tryIn(tina, 'x'.repeat(2_000))).status).toBe(400);
  });

  it('pages 10: leads on to a new password, by the way of members', async () => {
    const page = await visitor(service, hosts.a).send('/admin/sign-in');
    const href = /<a href="([^"]*)">Forgot your password\?/.exec(page.text)?.[1];
    let answer = await visitor(service, hosts.a).send(String(href));
    if (answer.status === 303) answer = await visitor(service, hosts.a).send(String(answer.headers.location));
    expect(answer.text).toContain('name="email"');
  });

  it('pages 7: leads back to the page that was asked for', async () => {
    const path = `${home}/audit?result=refused&clientId=a%20b`;
    const browser = visitor(service, hosts.a);
    const answer = await browser.send(path);
    const form = String(answer.headers.location);
    expect((await signInToPortal(browser, tina, adminPassword, form)).headers.location).toBe(path);
    expect((await browser.send(form)).headers.location).toBe(path);
  });

  it.each([
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    '/admin//evil.test',
    '/admin/../..//evil.test',
    '/admin@evil.test',
    '/admin/\t/evil.test',
    '/account',
    '/admin/sign-in?next=/admin/sign-in',
    'javascript:alert(1)',
  ])('K2: never leads to %s', async (next) => {
    const answer = await signInToPortal(
      visitor(service, hosts.a),
      tina,
      adminPassword,
      `/admin/sign-in?next=${encodeURIComponent(next)}`,
    );
    const location = String(answer.headers.location);
    expect(new URL(location, `https://${hosts.a}`).origin).toBe(`https://${hosts.a}`);
    expect(location).toMatch(/^\/admin(?!\/sign-in)/);
  });

  it('A10: a form of another site, or without its own seal, signs nobody in', async () => {
    const browser = visitor(service, hosts.a);
    const page = await browser.send('/admin/sign-in');
    const body = { token: field(page, 'token'), next: '', email: tina, password: adminPassword };
    const stranger = visitor(service, hosts.a);
    const refused = [
      await browser.send('/admin/sign-in', { body, headers: { origin: 'https://evil.test' } }),
      await browser.send('/admin/sign-in', { body, headers: { 'sec-fetch-site': 'cross-site' } }),
      await browser.send('/admin/sign-in', { body, headers: { 'content-type': 'text/plain' } }),
      await browser.send('/admin/sign-in', { body: { ...body, token: '' } }),
      await browser.send('/admin/sign-in', {
        body: {
          ...body,
          token: field(await portalOf(service, hosts.a, tina).then((own) => own.send(home)), 'token'),
        },
      }),
      await stranger.send('/admin/sign-in', { body }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(browser.cookies.has(adminCookie)).toBe(false);
    expect((await browser.send('/admin/sign-in', { body })).status).toBe(303);
  });

  it('W11: each sign-in, each refusal with its reason, and each sign-out stand in the audit', async () => {
    const before = (await auditEvents(service)).length;
    const browser = await portalOf(service, hosts.a, tina);
    await tryIn(tina, 'a wrong password');
    await tryIn('nobody@example.test', adminPassword);
    await tryIn('u1@example.test', 'password of u1 at a');
    await browser.send('/admin/sign-out', { body: { token: field(await browser.send(home), 'token') } });
    const events = (await auditEvents(service)).slice(before);
    const refused = { event: 'admin_sign_in_refused', actorKind: 'nobody', address: '127.0.0.1' };
    expect(events.filter(({ event }) => /^admin|^sign/.test(event))).toMatchObject([
      { event: 'admin_signed_in', actorKind: 'admin', actorId: tinaId, result: 'done' },
      { ...refused, target: tinaId, reason: 'the password is wrong' },
      { ...refused, target: null, reason: 'no account has the address' },
      { ...refused, reason: 'the member is no administrator' },
      { event: 'signed_out', actorKind: 'admin', actorId: tinaId, result: 'done' },
    ]);
    expect(JSON.stringify(events)).not.toContain('a wrong password');
  });

  it('pages 7: who comes by a link of another site is asked for the page once more, with the cookie', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const answer = await visitor(service, hosts.a).send(`${home}/clients`, { headers });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`<meta http-equiv="refresh" content="0; url=${home}/clients">`);
    const hostile = await visitor(service, hosts.a).send(`/admin/"><script>`, { headers });
    expect(hostile.text).not.toContain('"><script>');
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
