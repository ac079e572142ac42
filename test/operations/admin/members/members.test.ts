import { describe, expect, it } from 'vitest';
import { findMember, updateMember } from '../../../../src/storage/members/member.ts';
import { linkIn } from '../../../support/mails/outbox.ts';
import { submitReset } from '../../../support/members/recover.ts';
import { newPassword } from '../../../support/members/sign-up.ts';
import { refusal, run, tenantIdOf } from '../../../support/operators/desk.ts';
import { day } from '../../../support/records/records.ts';
import { apps, expectError, profile, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });

const tenant = 'a.test';

interface Made {
  readonly id: string;
  readonly emailVerified: boolean;
}

interface Read {
  readonly id: string;
  readonly signIns: readonly { readonly id: string; readonly clientId: string }[];
  readonly sessions: readonly { readonly id: string }[];
  readonly subscriptions: readonly { readonly packageName: string }[];
}

interface Timeline {
  readonly entries: readonly { readonly event: { readonly reason: string } | null }[];
}

const make = (fullName: string, email: string, more: object = {}) =>
  run<Made>(service, 'members.create', { tenant, fullName, email, password: newPassword, ...more });

/** Signs in on the pages. @returns the status: 303 goes on to the client */
async function signInStatus(email: string, password = newPassword): Promise<number> {
  const browser = visitor(service, tenant);
  const page = await browser.authorize(authorizationParameters('pub1', apps.pub1.redirectUri, pkce()));
  return (await browser.signIn(page, email, password)).status;
}

describe('a new member', () => {
  it('with a password signs in with it, and has every detail that was given', async () => {
    const details = {
      nickName: 'Bo',
      phone: '+47 91 23 45 67',
      language: 'nb',
      avatar: 'https://example.test/bo.png',
      address: { line1: 'Storgata 1', country: 'no', email: 'post@example.test' },
    };
    const made = await make('Bo Ek', 'Bo@new.test', details);
    expect(made).toMatchObject({
      ...details,
      email: 'Bo@new.test',
      emailVerified: false,
      phone: '+4791234567',
      address: { line1: 'Storgata 1', city: null, country: 'NO', email: 'post@example.test' },
      userType: 'member',
      status: 'active',
    });
    expect(await signInStatus('bo@new.test')).toBe(303);
  });

  it('without one is invited by a mail whose link works for three days, and proves the address', async () => {
    const invite = async (email: string) => {
      const made = await make('Invited', email, { password: undefined });
      await service.delivered();
      const mail = service.outbox.last(email);
      expect(mail.name).toBe('invitation');
      expect(mail.text).toContain('72 hours');
      return { ...made, link: new URL(linkIn(mail)).pathname };
    };
    const { id, link } = await invite('invited@new.test');
    const late = await invite('late@new.test');
    service.clock.advance(3 * day - 60_000);
    expect((await submitReset(visitor(service, tenant), link, newPassword)).status).toBe(200);
    expect(await run(service, 'members.read', { tenant, memberId: id })).toMatchObject({
      emailVerified: true,
    });
    expect(await signInStatus('invited@new.test')).toBe(303);
    service.clock.advance(120_000);
    expect((await submitReset(visitor(service, tenant), late.link, newPassword)).status).toBe(410);
  });

  it('has an address that no other member of the tenant has, however it is written', async () => {
    const input = { tenant, fullName: 'Twin', email: 'U1@Example.test', password: newPassword };
    expect((await refusal(service, 'members.create', input)).kind).toBe('conflict');
    await run(service, 'members.create', { ...input, tenant: 'c.test' });
  });

  it('is refused with every problem at once, and never with the password', async () => {
    const wrong = {
      fullName: ' ',
      email: 'nowhere',
      phone: '12',
      avatar: 'javascript:x',
      address: { country: 'Norway', email: 'x' },
    };
    const refused = await refusal(service, 'members.create', { tenant, ...wrong, password: 'short' });
    expect(refused).toEqual({
      kind: 'invalid',
      problems: [
        'email is malformed',
        'address.email is malformed',
        'avatar is not an https address',
        'fullName is missing',
        'phone is malformed',
        'address.country is not known',
      ],
    });
  });

  it.each([
    ['fullName', { fullName: 'Half \ud800 a character' }],
    ['address', { address: { city: '\udc00' } }],
    ['address', { address: { '\ud800': 'x' } }],
  ])('has no %s with half a character: the database would give back another', async (field, more) => {
    const input = { tenant, fullName: 'Whole', email: 'whole@new.test', password: newPassword, ...more };
    expect(await refusal(service, 'members.create', input)).toEqual({
      kind: 'invalid',
      problems: [`${field} has half a character: an escape of a pair stands alone`],
    });
  });

  it.each([
    ['short', 'only eleven', 'password has fewer than 12 characters'],
    ['common', 'password1234', 'password is too easy to guess: add another word or two'],
    ['the address', 'somebody@new.test', 'password is the address'],
  ])('has no password that is %s', async (_what, password, problem) => {
    const input = { tenant, fullName: 'Some Body', email: 'somebody@new.test', password };
    expect(await refusal(service, 'members.create', input)).toEqual({ kind: 'invalid', problems: [problem] });
  });
});

describe('a member whose deletion is due', () => {
  it('is gone, though the data are still to be erased, and leaves the address to a new one', async () => {
    const email = 'due@gone.test';
    const { id } = await make('Due Gone', email);
    await service.store.transaction(async (tx) => {
      const member = await findMember(tx, tenantIdOf(service, tenant), id);
      if (member !== null) await updateMember(tx, { ...member, deletionDueAt: service.clock.now() });
    });
    const found = await run<{ members: object[] }>(service, 'members.list', { tenant, search: 'due gone' });
    expect(found.members).toEqual([]);
    expect((await refusal(service, 'members.read', { tenant, memberId: id })).kind).toBe('unknown');
    const anew = await make('Due Anew', email);
    expect(anew.id).not.toBe(id);
  });
});

describe('another address of a member', () => {
  it('is not proven, ends the links that were mailed before, and the old one is told', async () => {
    const { id } = await make('Moving', 'old@move.test', { password: undefined });
    await service.delivered();
    const link = new URL(linkIn(service.outbox.last('old@move.test'))).pathname;
    const changed = await run(service, 'members.change', { tenant, memberId: id, email: 'new@move.test' });
    expect(changed).toMatchObject({ email: 'new@move.test', emailVerified: false });
    await service.delivered();
    expect(service.outbox.last('old@move.test').name).toBe('emailChanged');
    expect((await submitReset(visitor(service, tenant), link, newPassword)).status).toBe(410);
    const again = await run(service, 'members.change', { tenant, memberId: id, email: 'NEW@move.test' });
    expect(again).toMatchObject({ email: 'NEW@move.test' });
    const taken = { tenant, memberId: id, email: 'u2@example.test' };
    expect((await refusal(service, 'members.change', taken)).kind).toBe('conflict');
  });
});

describe('the link of an invitation', () => {
  it('pages 10: sets nothing for a member who has another address than it was sent to', async () => {
    const { id } = await make('Elsewhere', 'first@link.test', { password: undefined });
    await service.delivered();
    const link = new URL(linkIn(service.outbox.last('first@link.test'))).pathname;
    await service.store.transaction(async (tx) => {
      const member = await findMember(tx, tenantIdOf(service, tenant), id);
      if (member !== null) await updateMember(tx, { ...member, email: 'second@link.test' });
    });
    expect((await submitReset(visitor(service, tenant), link, newPassword)).status).toBe(410);
    expect(await signInStatus('second@link.test')).toBe(422);
    expect(await run(service, 'members.read', { tenant, memberId: id })).toMatchObject({
      emailVerified: false,
    });
  });
});

describe('T19, A14: what an operator does to a member', () => {
  const app = apps.pub1;

  it('disabling ends every sign-in, and enabling lets the member sign in anew', async () => {
    const email = 'ended@acts.test';
    const { id: memberId } = await make('Ended', email);
    const browser = visitor(service, tenant);
    const page = await browser.authorize(authorizationParameters('pub1', app.redirectUri, pkce()));
    await browser.signIn(page, email, newPassword);
    const tokens = await tokensOf(service, tenant, app, { browser });
    await run(service, 'members.disable', { tenant, memberId });
    expectError(await refreshAs(service, tenant, app, tokens.refresh_token), 400, 'invalid_grant');
    expect(await signInStatus(email)).not.toBe(303);
    await run(service, 'members.enable', { tenant, memberId });
    expectError(await refreshAs(service, tenant, app, tokens.refresh_token), 400, 'invalid_grant');
    expect(await signInStatus(email)).toBe(303);
  });

  it('the page of a member shows what can be ended, and ends one sign-in or session alone', async () => {
    const search = { search: 'u2@example.test' };
    const [found] = (await run<{ members: Read[] }>(service, 'members.list', { tenant, ...search })).members;
    const memberId = String(found?.id);
    const read = () => run<Read>(service, 'members.read', { tenant, memberId });
    const email = 'u2@example.test';
    const first = await tokensOf(service, tenant, app, { email });
    const second = await tokensOf(service, tenant, apps.pub2, { email, more: { scope: 'openid' } });
    const { signIns, sessions, subscriptions } = await read();
    expect(signIns.map(({ clientId }) => clientId)).toEqual(['pub2', 'pub1']);
    expect(sessions).toHaveLength(2);
    expect(subscriptions.map(({ packageName }) => packageName)).toEqual(['Gold']);

    await run(service, 'members.endSignIn', { tenant, memberId, signInId: signIns[1]?.id });
    expectError(await refreshAs(service, tenant, app, first.refresh_token), 400, 'invalid_grant');
    expect((await profile(service, tenant, second.access_token)).status).toBe(200);

    const own = (await read()).sessions.map(({ id }) => id);
    for (const sessionId of own) await run(service, 'members.endSession', { tenant, memberId, sessionId });
    expect((await profile(service, tenant, second.access_token)).status).toBe(401);
    const after = await read();
    expect(after).toMatchObject({ signIns: [], sessions: [] });
    await run(service, 'members.signOutEverywhere', { tenant, memberId });
    const { entries } = await run<Timeline>(service, 'members.timeline', { tenant, memberId });
    const reasons = entries.map(({ event }) => event?.reason);
    for (const verb of ['signOutEverywhere', 'endSession', 'endSignIn']) {
      expect(reasons).toContain(`members.${verb}`);
    }
  });

  it('ends no sign-in and no session of another member', async () => {
    const { id: memberId } = await make('Bystander', 'by@acts.test');
    await tokensOf(service, tenant, app);
    const members = await run<{ members: Read[] }>(service, 'members.list', { tenant, search: 'u1@' });
    const other = await run<Read>(service, 'members.read', { tenant, memberId: members.members[0]?.id });
    const [signIn] = other.signIns;
    const [session] = other.sessions;
    const ended = async (name: string, input: object) =>
      (await refusal(service, name, { tenant, memberId, ...input })).kind;
    expect(await ended('members.endSignIn', { signInId: signIn?.id })).toBe('unknown');
    expect(await ended('members.endSession', { sessionId: session?.id })).toBe('unknown');
  });
});
