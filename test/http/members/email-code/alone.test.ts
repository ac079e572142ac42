import { beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../../../../src/core/members/member.ts';
import { rowsWith } from '../../../../src/storage/rows.ts';
import { hosts } from '../../../support/fixtures.ts';
import { codeIn, linkIn } from '../../../support/mails/outbox.ts';
import {
  askedForCode,
  askForCode,
  codeTo,
  setEmailCodes,
  typeCode,
} from '../../../support/members/email-code.ts';
import { addMember, askForRecovery, oldPassword } from '../../../support/members/recover.ts';
import { atSignUp, storedMember, submitCode, submitSignUp } from '../../../support/members/sign-up.ts';
import { run } from '../../../support/operators/desk.ts';
import { makeAdmin } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';
import { field, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const minute = 60_000;

const sessionsOf = (memberId: string) =>
  service.store.transaction((tx) => rowsWith(tx, 'sessions', { memberId }).execute());

describe('codes instead of passwords', () => {
  const there = hosts.b;
  let members: readonly Member[];
  beforeAll(async () => {
    await setEmailCodes(service, there, 'instead');
    members = [
      await addMember(service, there),
      await addMember(service, there),
      await addMember(service, there),
    ];
  });

  it('EC10: the page asks for an address alone, and a password that is sent all the same is not looked at', async () => {
    const member = members[0] as Member;
    const browser = visitor(service, there);
    const { form } = await askForCode(browser, member.email);
    expect(form.text).not.toMatch(/name="password"|value="recover"/);
    const sent = { flow: field(form, 'flow'), email: member.email, password: oldPassword };
    const answer = await browser.send('/sign-in', { body: sent });
    expect(answer.headers.location).toMatch(/^\/sign-in\/code\?/);
    const { page, code } = await askedForCode(service, visitor(service, there), member.email);
    expect(page.status).toBe(200);
    expect(code).toMatch(/^\d{3} \d{3}$/);
    expect(await sessionsOf(member.id)).toEqual([]);
  });

  it('EC10: a new password is mailed to no member, and to administrators for their portal', async () => {
    const member = members[1] as Member;
    const admin = { email: 'admin.here@b.test' };
    await makeAdmin(service, there, admin.email);
    for (const { email } of [member, admin]) await askForRecovery(service, there, email);
    await service.delivered();
    const to = (email: string) =>
      service.outbox.sent.filter((mail) => mail.to === email).map(({ name }) => name);
    expect([to(member.email), to(admin.email)]).toEqual([[], ['passwordReset']]);
  });

  it('EC10: the account asks for a code again where it asked for the password, and has no page of one', async () => {
    const member = members[2] as Member;
    const browser = visitor(service, there);
    const { page, code } = await askedForCode(service, browser, member.email);
    await typeCode(browser, page, code);
    expect((await browser.send('/account/password')).status).toBe(404);
    const open = await browser.send('/account/data');
    expect(open.text).not.toContain('type="password"');
    const body = { token: field(open, 'token') };
    expect((await browser.send('/account/data', { body })).headers['content-type']).toMatch(/json/);
    service.clock.advance(5 * minute);
    const late = await browser.send('/account/data', { body });
    expect(late.headers.location).toMatch(/^\/sign-in\?flow=/);
    const again = await browser.send('/account/data');
    expect(again.headers.location).toMatch(/^\/sign-in\?flow=/);
    const form = await browser.send(String(again.headers.location));
    const ask = { flow: field(form, 'flow'), email: member.email, action: 'code' };
    const asking = await browser.send('/sign-in', { body: ask });
    const digits = await browser.send(String(asking.headers.location));
    const back = await typeCode(browser, digits, await codeTo(service, member.email));
    expect(back.headers.location).toBe('/account/data');
    expect((await browser.send('/account/data')).status).toBe(200);
  });

  it('EC10, pages 9: password managers are led to what members sign in with, and a refused passkey to a code', async () => {
    const browser = visitor(service, there);
    const led = await browser.send('/.well-known/change-password');
    expect(led.headers.location).toBe('/account/sessions');
    await run(service, 'tenants.change', { tenant: there, passkeys: 'on' });
    const way = await browser.send('/sign-in');
    const page = await browser.send(String(way.headers.location));
    const body = { flow: field(page, 'flow'), email: '', passkey: 'no signature' };
    const refused = await browser.send('/sign-in', { body });
    expect(refused.text).toContain('That passkey didn’t work. Try again, or get a code by email');
  });

  it('an invitation leads to the sign-in, and operators are told that there is no password to mail', async () => {
    const email = 'invited@b.test';
    const { id } = await run<{ id: string }>(service, 'members.create', {
      tenant: there,
      fullName: 'In Vited',
      email,
    });
    await service.delivered();
    const mail = service.outbox.last(email);
    expect([mail.name, linkIn(mail)]).toEqual(['invitationToCode', 'https://b.test/sign-in']);
    await expect(
      run(service, 'members.sendPasswordReset', { tenant: there, memberId: id }),
    ).rejects.toThrow();
    const { standing } = await run<{ standing: { canSignIn: boolean } }>(service, 'members.read', {
      tenant: there,
      memberId: id,
    });
    expect(standing.canSignIn).toBe(true);
  });

  it('a sign-up takes no password, its mail no link, and its digits sign in', async () => {
    const email = 'new.here@b.test';
    const newcomer = await atSignUp(service, there);
    expect(newcomer.page.text).not.toContain('type="password"');
    const answer = await submitSignUp(newcomer.browser, newcomer.page, { email, password: '' });
    const verify = await newcomer.browser.send(String(answer.headers.location));
    await service.delivered();
    const mail = service.outbox.last(email);
    expect(mail.text).not.toMatch(/https?:\/\/b\.test/);
    const done = await submitCode(newcomer.browser, verify, codeIn(mail));
    expect(done.headers.location).toMatch(/^https:/);
    const member = await storedMember(service, there, email);
    expect(await sessionsOf(String(member?.id))).toEqual([expect.objectContaining({ amr: 'otp' })]);
  });
});
