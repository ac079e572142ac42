import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mailsPerHour } from '../../../../src/core/members/limits.ts';
import { type LocalSocket, openSocket } from '../../../../src/http/admin/socket.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { codesFor, phoneOf } from '../../../support/device.ts';
import { linkIn } from '../../../support/mails/outbox.ts';
import { accountOf } from '../../../support/members/account.ts';
import { askForRecovery, submitReset } from '../../../support/members/recover.ts';
import { newPassword } from '../../../support/members/sign-up.ts';
import { adminToken, auditEvents, callApi } from '../../../support/operators/api.ts';
import { command } from '../../../support/operators/command.ts';
import { refusal, run } from '../../../support/operators/desk.ts';
import { mainOf, newAdmin } from '../../../support/operators/portal.ts';
import { apps } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../../support/visitor.ts';

const tenant = 'a.test';
const minute = 60_000;

const service = useService({ data: 'security' });
let socket: LocalSocket | null;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
});
afterAll(async () => {
  await socket?.close();
});

// Failures are counted for the address that they come from, too: one and the same here.
beforeEach(() => service.clock.advance(60 * minute));

interface Limit {
  readonly limit: string;
  readonly counted: number;
  readonly allowed: number | null;
  readonly lockedUntil: string | null;
}

/** A member of her own for each test, with the password of new members. */
async function newMember(email: string): Promise<string> {
  const input = { tenant, fullName: 'Lotta Lock', email, password: newPassword };
  return (await run<{ id: string }>(service, 'members.create', input)).id;
}

async function limitsOf(memberId: string) {
  const read = await run<{ limits: readonly Limit[] }>(service, 'members.read', { tenant, memberId });
  return read.limits.map(({ lockedUntil, ...limit }) => ({ ...limit, minutes: minutesTo(lockedUntil) }));
}

/** The status of a sign-in from a browser that is not known: 303 goes on to the app. */
async function signInStatus(email: string, password: string): Promise<number> {
  const browser = visitor(service, tenant);
  const page = await browser.authorize(authorizationParameters('pub1', apps.pub1.redirectUri, pkce()));
  return (await browser.signIn(page, email, password)).status;
}

/** Guesses until the account is locked. */
async function lock(email: string): Promise<void> {
  for (let count = 0; count < 5; count += 1) {
    expect(await signInStatus(email, 'a wrong password')).toBe(422);
  }
  expect(await signInStatus(email, newPassword)).toBe(429);
}

const mailsTo = (email: string) =>
  service.outbox.sent.filter(({ to }) => to === email).map(({ name }) => name);

/** How many whole minutes a time lies ahead: the clock of tests moves by itself too. */
const minutesTo = (iso: string | null) =>
  iso === null ? null : Math.round((Date.parse(iso) - service.clock.now()) / minute);

describe('the locks of a member', () => {
  it('are shown with how many count, how many may, and until when each keeps the member out', async () => {
    const email = 'shown@lock.test';
    const memberId = await newMember(email);
    const none = { counted: 0, allowed: 5, minutes: null };
    expect(await limitsOf(memberId)).toEqual([
      { limit: 'failed_sign_ins', ...none },
      { limit: 'wrong_current_passwords', ...none },
      { limit: 'wrong_second_factors', ...none },
      { limit: 'wrong_user_codes', ...none },
    ]);
    await lock(email);
    expect(await limitsOf(memberId)).toMatchObject([
      { limit: 'failed_sign_ins', counted: 5, minutes: 1 },
      none,
      none,
      none,
    ]);
    service.clock.advance(minute);
    expect(await limitsOf(memberId)).toMatchObject([{ counted: 5, minutes: null }, none, none, none]);

    const phone = await phoneOf(service, tenant, email, newPassword);
    for (let count = 0; count < 5; count += 1) await phone.open(`00000${count}`);
    const account = await accountOf(service, tenant, email, { password: newPassword });
    const form = { currentPassword: 'a wrong password' };
    for (let count = 0; count < 6; count += 1) await account.submit('/account/data', form);
    expect(await limitsOf(memberId)).toMatchObject([
      { limit: 'failed_sign_ins' },
      { limit: 'wrong_current_passwords', counted: 5, minutes: 1 },
      { limit: 'wrong_second_factors' },
      { limit: 'wrong_user_codes', counted: 5, minutes: 15 },
    ]);
  });

  it('limit_reached names the member whose account or entries were limited', async () => {
    const email = 'named@lock.test';
    const memberId = await newMember(email);
    const phone = await phoneOf(service, tenant, email, newPassword);
    await lock(email);
    for (let count = 0; count < 6; count += 1) await phone.open(`11111${count}`);
    const reached = (await auditEvents(service)).filter(({ event }) => event === 'limit_reached');
    expect(reached.slice(-2)).toMatchObject([
      { target: memberId, reason: 'too many failed sign-ins' },
      { target: memberId, reason: 'too many wrong user codes' },
    ]);
    const { entries } = await run<{ entries: readonly object[] }>(service, 'members.timeline', {
      tenant,
      memberId,
    });
    expect(entries[0]).toMatchObject({ event: { event: 'limit_reached' } });
  });

  it('limit_reached names no member if the address has no account', async () => {
    for (let count = 0; count < 6; count += 1) await signInStatus('nobody@lock.test', 'a wrong password');
    const reached = (await auditEvents(service)).filter(({ event }) => event === 'limit_reached');
    expect(reached.at(-1)).toMatchObject({ target: null, reason: 'too many failed sign-ins' });
  });
});

describe('a lock is lifted', () => {
  it('by the API, the command and the portal, and each stands in the audit', async () => {
    const token = await adminToken(service);
    const tina = await newAdmin(service, tenant, 'tina@lock.test');
    const page = (id: string) => `/admin/tenants/${tenant}/members/${id}`;
    const faces = {
      token: (id: string) =>
        callApi(service, { method: 'POST', path: `/tenants/${tenant}/members/${id}/unlock`, token }),
      operator: (id: string) =>
        command(service.folder, ['members', 'unlock', '--tenant', tenant, '--member-id', id]),
      admin: (id: string) => tina.submit(`${page(id)}/+unlock`),
    };
    for (const [actorKind, lift] of Object.entries(faces)) {
      service.clock.advance(minute);
      const email = `${actorKind}@lift.test`;
      const memberId = await newMember(email);
      expect(mainOf(await tina.send(page(memberId)))).not.toContain('+unlock');
      await lock(email);
      const locked = mainOf(await tina.send(page(memberId)));
      expect(locked).toContain('+unlock');
      expect(locked).toContain('Lotta Lock</bdi> cannot sign in until');
      await lift(memberId);
      expect(await signInStatus(email, newPassword)).toBe(303);
      expect(await limitsOf(memberId)).toMatchObject([{ counted: 0, minutes: null }, {}, {}, {}]);
      expect(
        (await auditEvents(service)).filter(({ reason }) => reason === 'members.unlock').at(-1),
      ).toMatchObject({
        event: 'admin_acted',
        actorKind,
        target: memberId,
      });
    }
  });

  it('of wrong TV codes too, and of wrong current passwords', async () => {
    const email = 'codes@lift.test';
    const memberId = await newMember(email);
    const phone = await phoneOf(service, tenant, email, newPassword);
    for (let count = 0; count < 6; count += 1) await phone.open(`22222${count}`);
    const { user_code: userCode } = await codesFor(service, tenant);
    expect((await phone.open(userCode)).status).toBe(429);
    const account = await accountOf(service, tenant, email, { password: newPassword });
    const data = (currentPassword: string) => account.submit('/account/data', { currentPassword });
    for (let count = 0; count < 5; count += 1) await data('a wrong password');
    expect((await data(newPassword)).status).toBe(429);
    await run(service, 'members.unlock', { tenant, memberId });
    expect((await phone.open(userCode)).status).toBe(200);
    expect((await data(newPassword)).status).toBe(200);
  });
});

describe('a mail is sent again', () => {
  it('the invitation, with a link of its own that chooses the password', async () => {
    const email = 'again@mail.test';
    const input = { tenant, fullName: 'Once More', email };
    const { id: memberId } = await run<{ id: string }>(service, 'members.create', input);
    await service.delivered();
    service.clock.advance(4 * 24 * 60 * minute);
    const sent = await run<{ expiresAt: string }>(service, 'members.sendInvitation', { tenant, memberId });
    expect({ ...sent, expiresAt: minutesTo(sent.expiresAt) }).toEqual({
      id: memberId,
      email,
      expiresAt: 3 * 24 * 60,
    });
    await service.delivered();
    expect(mailsTo(email)).toEqual(['invitation', 'invitation']);
    const link = new URL(linkIn(service.outbox.last(email))).pathname;
    service.clock.advance(3 * 24 * 60 * minute - minute);
    expect((await submitReset(visitor(service, tenant), link, newPassword)).status).toBe(200);
    expect(await signInStatus(email, newPassword)).toBe(303);
  });

  it('a link for a new password, however many strangers have asked for', async () => {
    const email = 'reset@mail.test';
    const memberId = await newMember(email);
    const { ofNetwork } = mailsPerHour;
    for (let count = 0; count <= ofNetwork; count += 1) await askForRecovery(service, tenant, email);
    const sent = await run<{ expiresAt: string }>(service, 'members.sendPasswordReset', { tenant, memberId });
    expect({ ...sent, expiresAt: minutesTo(sent.expiresAt) }).toEqual({ id: memberId, email, expiresAt: 30 });
    await service.delivered();
    expect(mailsTo(email)).toEqual(Array(ofNetwork + 1).fill('passwordReset'));
    const link = new URL(linkIn(service.outbox.last(email))).pathname;
    expect((await submitReset(visitor(service, tenant), link, 'another of my passwords')).status).toBe(200);
    expect(await signInStatus(email, 'another of my passwords')).toBe(303);
  });

  it('but not to a disabled member, whom the link would not let in', async () => {
    const memberId = await newMember('off@mail.test');
    await run(service, 'members.disable', { tenant, memberId });
    for (const name of ['members.sendInvitation', 'members.sendPasswordReset']) {
      expect(await refusal(service, name, { tenant, memberId })).toEqual({
        kind: 'conflict',
        problems: ['the member is disabled: enable the member first'],
      });
    }
  });

  it('from the portal, which says that it is on its way', async () => {
    const email = 'portal@mail.test';
    const memberId = await newMember(email);
    const tina = await newAdmin(service, tenant, 'tina@mail.test');
    const page = `/admin/tenants/${tenant}/members/${memberId}`;
    const sent = await tina.submit(`${page}/password-reset/+send-password-reset`);
    expect(mainOf(await tina.send(String(sent.headers.location)))).toContain('The mail is on its way.');
    await service.delivered();
    expect(mailsTo(email)).toEqual(['passwordReset']);
  });
});
