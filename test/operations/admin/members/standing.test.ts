import { beforeEach, describe, expect, it } from 'vitest';
import type { Ask } from '../../../support/http.ts';
import { addMember } from '../../../support/members/recover.ts';
import { newPassword } from '../../../support/members/sign-up.ts';
import { run } from '../../../support/operators/desk.ts';
import { apps } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../../support/visitor.ts';

const tenant = 'a.test';
const minute = 60_000;
const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });

// Failures are counted for the address that they come from, too.
beforeEach(() => service.clock.advance(60 * minute));

interface Read {
  readonly standing: {
    readonly canSignIn: boolean;
    readonly hindrances: readonly Readonly<Record<string, unknown>>[];
    readonly lastSignInAt: string | null;
    readonly passwordSince: string | null;
  };
}

const standingOf = async (memberId: string) =>
  (await run<Read>(service, 'members.read', { tenant, memberId })).standing;

async function newMember(email: string, password: string | undefined = newPassword) {
  const made = { tenant, fullName: 'Stand Ing', email, emailVerified: true };
  return (
    await run<{ id: string }>(service, 'members.create', password === '' ? made : { ...made, password })
  ).id;
}

async function signIn(email: string, password: string, from = '192.0.2.1'): Promise<number> {
  const http = (host: string, path: string, ask: Ask = {}) =>
    service.http(host, path, { ...ask, headers: { ...ask.headers, 'x-forwarded-for': from } });
  const browser = visitor({ http: Object.assign(http, { close: service.http.close }) }, tenant);
  const page = await browser.authorize(authorizationParameters('pub1', apps.pub1.redirectUri, pkce()));
  return (await browser.signIn(page, email, password)).status;
}

describe('members.read says why a member cannot sign in', () => {
  it('with when and from how many addresses the wrong passwords came, and when it was right last', async () => {
    const email = 'locked@standing.test';
    const id = await newMember(email);
    expect(await signIn(email, newPassword)).toBe(303);
    service.clock.advance(10 * minute);
    for (let count = 0; count < 5; count += 1) {
      expect(await signIn(email, 'a wrong password', `192.0.2.${1 + (count % 2)}`)).toBe(422);
    }
    const { canSignIn, hindrances, lastSignInAt } = await standingOf(id);
    expect(canSignIn).toBe(false);
    expect(hindrances).toMatchObject([
      {
        hindrance: 'wrong_passwords',
        keepsOut: true,
        counted: 5,
        helpedBy: ['members.unlock', 'members.sendPasswordReset'],
      },
    ]);
    const addresses = (hindrances[0]?.addresses ?? []) as readonly string[];
    expect(addresses.toSorted()).toEqual(['192.0.2.1', '192.0.2.2']);
    const since = Date.parse(String(hindrances[0]?.since));
    expect(since - Date.parse(String(lastSignInAt))).toBeGreaterThan(9 * minute);
    await run(service, 'members.unlock', { tenant, memberId: id });
    expect(await standingOf(id)).toMatchObject({ canSignIn: true, hindrances: [] });
  });

  it('an invited member has no password yet, until the link of the mail is used', async () => {
    const id = await newMember('invited@standing.test', '');
    expect(await standingOf(id)).toMatchObject({
      canSignIn: false,
      hindrances: [{ hindrance: 'no_password', helpedBy: ['members.sendInvitation'] }],
      passwordSince: null,
    });
    await run(service, 'members.change', { tenant, memberId: id, password: newPassword });
    const { canSignIn, passwordSince } = await standingOf(id);
    expect(canSignIn).toBe(true);
    expect(Date.parse(String(passwordSince))).toBeGreaterThan(service.clock.now() - minute);
  });

  it('a password that was chosen elsewhere counts, though it is not known since when', async () => {
    const { id, email } = await addMember(service, tenant);
    await service.store.transaction((tx) =>
      tx.updateTable('members').set({ passwordSince: 0 }).where('id', '=', id).execute(),
    );
    expect(email).toContain('@');
    expect((await standingOf(id)).passwordSince).toBeNull();
    expect((await standingOf(id)).hindrances.map(({ hindrance }) => hindrance)).not.toContain('no_password');
  });

  it('a deletion that was asked for is taken back by an operator, and the member is told', async () => {
    const email = 'leaving@standing.test';
    const memberId = await newMember(email);
    const dueAt = service.clock.now() + 60 * minute;
    await service.store.transaction((tx) =>
      tx.updateTable('members').set({ deletionDueAt: dueAt }).where('id', '=', memberId).execute(),
    );
    expect((await standingOf(memberId)).hindrances).toMatchObject([
      { hindrance: 'deletion_asked', keepsOut: false, helpedBy: ['members.cancelDeletion'] },
    ]);
    await run(service, 'members.cancelDeletion', { tenant, memberId });
    expect((await standingOf(memberId)).hindrances).toEqual([]);
    await service.delivered();
    expect(service.outbox.last(email).name).toBe('deletionCancelled');
  });
});
