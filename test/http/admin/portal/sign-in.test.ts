import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { setLimits } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { run } from '../../../support/operators/desk.ts';
import { adminPassword, makeAdmin, portalOf, signInToPortal } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';
import { field, visitor } from '../../../support/visitor.ts';

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

/** An answer without what differs each time. */
const same = (text: string) =>
  text
    .replaceAll(/name="token" value="[^"]*"/g, 'TOKEN')
    .replaceAll(/data-passkey="[^"]*"/g, 'PASSKEY')
    .replaceAll(/name="email"[^>]*>/g, 'EMAIL');

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

  it.each([
    ['wrong', 'a wrong password'],
    ['right', 'password of u2 at a'],
  ])(
    'A6: 20 tries of members at the same moment are told five times no, with a %s password too',
    async (_kind, password) => {
      await setLimits(service, hosts.a, {
        failedSignInsPerAddressAndMinute: 5,
        failedSignInsPerAccount: null,
      });
      onTestFinished(() => setLimits(service, hosts.a, {}));
      const browser = visitor(service, hosts.a);
      const page = await browser.send('/admin/sign-in');
      const body = { token: field(page, 'token'), next: '', email: 'u2@example.test', password };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => browser.send('/admin/sign-in', { body })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        ...Array(5).fill(422),
        ...Array(15).fill(429),
      ]);
    },
  );

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

  it('A10: a form of another site, or without its own seal, does not sign in', async () => {
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

  it('pages 7: a visitor from a link of another site asks for the page once more, with the cookie', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const answer = await visitor(service, hosts.a).send(`${home}/clients`, { headers });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`<meta http-equiv="refresh" content="0; url=${home}/clients">`);
    const hostile = await visitor(service, hosts.a).send(`/admin/"><script>`, { headers });
    expect(hostile.text).not.toContain('"><script>');
  });
});
