import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../../src/core/hash.ts';
import { deleteMember, disableMember } from '../../../../src/operations/member/member.ts';
import { replacePassword } from '../../../../src/operations/recovery/recovery.ts';
import { judgeCode } from '../../../../src/operations/sign-in/email-code.ts';
import { findMember, updateMember } from '../../../../src/storage/members/member.ts';
import { rowsWith } from '../../../../src/storage/rows.ts';
import { tenantOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { codeIn } from '../../../support/mails/outbox.ts';
import {
  askedForCode,
  askForCode,
  setEmailCodes,
  typeCode,
  wrongCode,
} from '../../../support/members/email-code.ts';
import { addMember, askForRecovery } from '../../../support/members/recover.ts';
import { digitsOf, giveSecondFactor } from '../../../support/members/second-factor.ts';
import { applied, problemsOf } from '../../../support/members/sign-up.ts';
import { useService } from '../../../support/use-service.ts';
import { answerOf, field, visitor, withoutSeals } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const minute = 60_000;
const host = hosts.a;

beforeAll(async () => {
  await setEmailCodes(service, hosts.a, 'beside');
  await setEmailCodes(service, hosts.b, 'beside');
});

const codesTo = (email: string) =>
  service.outbox.sent.filter(({ to, name }) => to === email && name === 'signInCode');

/** A member who asked for a code in a browser of her own, on the page that takes it. */
async function asked(options: Parameters<typeof askForCode>[2] = {}) {
  const member = await addMember(service, host);
  const browser = visitor(service, host);
  return { member, browser, ...(await askedForCode(service, browser, member.email, options)) };
}

/** The rows of a table that have these values. */
const rowsOf = <Table extends 'auditEvents' | 'emailProofs' | 'sessions' | 'signInFailures'>(
  table: Table,
  values: Parameters<typeof rowsWith<Table>>[2],
) => service.store.transaction((tx) => rowsWith(tx, table, values).execute());

const sessionsOf = (memberId: string) => rowsOf('sessions', { memberId });
const proofsOf = (email: string) => rowsOf('emailProofs', { email });

describe('a code by mail', () => {
  it('decision 46: signs in by the code of the mail, and the flow goes on to the client', async () => {
    const { member, browser, page, code } = await asked();
    expect(page.text).toContain('<h1>Check your email</h1>');
    expect(page.text).toContain('autocomplete="one-time-code"');
    const answer = await typeCode(browser, page, code);
    expect([answer.status, answerOf(answer).get('state')]).toEqual([303, 'the state']);
    expect(await sessionsOf(member.id)).toEqual([expect.objectContaining({ amr: 'otp', strongAt: null })]);
    const told = await rowsOf('auditEvents', { event: 'sign_in', actorId: member.id });
    expect(told.map(({ way }) => way)).toEqual(['email_code']);
  });

  it('EC1: pages 10: every address gets the same page; a mail goes to its owner alone, and nothing else differs', async () => {
    const [known, disabled] = [await addMember(service, host), await addMember(service, host)];
    await service.store.transaction((tx) =>
      disableMember(tx, disabled.tenantId, disabled.id, service.clock.now()),
    );
    const seen = [];
    for (const email of [known.email, disabled.email, 'r0@example.test']) {
      const browser = visitor(service, host);
      const { answer } = await askForCode(browser, email);
      const { date: _, location, ...headers } = answer.headers;
      expect(location).not.toContain(email);
      const page = await browser.send(String(location));
      const wrong = await typeCode(browser, page, '000 000');
      seen.push({
        status: answer.status,
        headers: Object.keys(headers),
        page: withoutSeals(page.text, email),
        wrong: withoutSeals(wrong.text, email),
        rows: (await proofsOf(email)).map(({ purpose, wrongCodes }) => ({ purpose, wrongCodes })),
      });
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    await service.delivered();
    const sent = [known.email, disabled.email, 'r0@example.test'].map((email) => codesTo(email).length);
    expect(sent).toEqual([1, 0, 0]);
  });

  it('EC2: A11: the right code works in the browser that asked for it, and in no other', async () => {
    const { member, browser, page, code } = await asked();
    const stranger = visitor(service, host);
    await stranger.send('/sign-in');
    expect((await typeCode(stranger, page, code)).status).toBe(403);
    const [proof] = await proofsOf(member.email);
    const codeId = String(proof?.id);
    const other = { codeId, browser: sha256('another'), digits: code.replace(' ', '') };
    const judged = await service.store.transaction((tx) =>
      judgeCode(tx, tenantOf(service, host), other, service.deps),
    );
    expect(judged.kind).toBe('over');
    expect((await typeCode(browser, page, code)).status).toBe(303);
  });

  it('EC3: works once: of many at once one begins a session, and afterwards it leads on without another', async () => {
    const { member, browser, page, code } = await asked();
    const answers = await Promise.all(Array.from({ length: 20 }, () => typeCode(browser, page, code)));
    const toClient = answers.filter(({ headers }) => headers.location?.startsWith('https://'));
    expect(toClient).toHaveLength(1);
    expect(
      answers.filter(({ headers }) => headers['set-cookie']?.some((line) => /session=/.test(line))),
    ).toHaveLength(1);
    expect(await sessionsOf(member.id)).toHaveLength(1);
    const again = await typeCode(visitor(service, host), page, code);
    expect(again.status).toBe(403);
  });

  it('EC4: works for ten minutes', async () => {
    const early = await asked();
    service.clock.advance(10 * minute - 1_000);
    expect((await typeCode(early.browser, early.page, early.code)).status).toBe(303);
    const late = await asked();
    service.clock.advance(10 * minute);
    const answer = await typeCode(late.browser, late.page, late.code);
    expect([answer.status, problemsOf(answer)]).toEqual([410, ['This code no longer works. Send a new one']]);
    expect(await sessionsOf(late.member.id)).toEqual([]);
  });

  it('EC6: A6: wrong codes count with wrong passwords for the account, however many mails they are spread over', async () => {
    const { member, browser, page, code } = await asked();
    for (let index = 0; index < 3; index += 1) {
      expect((await typeCode(browser, page, wrongCode(code, index))).status).toBe(422);
    }
    const second = visitor(service, host);
    const other = await askedForCode(service, second, member.email);
    for (let index = 0; index < 2; index += 1)
      await typeCode(second, other.page, wrongCode(other.code, index));
    const third = visitor(service, host);
    const last = await askedForCode(service, third, member.email);
    const refused = await typeCode(third, last.page, last.code);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    // A minute later the owner comes in, and what was counted is forgotten.
    service.clock.advance(minute);
    expect((await typeCode(third, last.page, last.code)).status).toBe(303);
    expect(await rowsOf('signInFailures', { emailHash: sha256(member.email) })).toEqual([]);
  });

  it('EC6: promise 7: a browser that the member knows passes the wait of strangers', async () => {
    const { member, browser, page, code } = await asked();
    await typeCode(browser, page, code);
    const stranger = visitor(service, host);
    const theirs = await askedForCode(service, stranger, member.email);
    for (let index = 0; index < 5; index += 1)
      await typeCode(stranger, theirs.page, wrongCode(theirs.code, index));
    const own = await askedForCode(service, browser, member.email);
    expect((await typeCode(browser, own.page, own.code)).status).toBe(303);
  });

  it.each(['password', 'address', 'disabled', 'erased'] as const)(
    'EC7: F3: does nothing once the account changed (%s)',
    async (change) => {
      const { member, browser, page, code } = await asked();
      const { tenantId, id } = member;
      const now = service.clock.now();
      const passwordHash = await service.passwords.hash('another password of the member');
      await service.store.transaction(async (tx) => {
        if (change === 'password') {
          const set = { passwordHash, everywhere: false };
          await replacePassword(tx, tenantOf(service, host), member, set, service.deps);
        }
        if (change === 'address') await updateMember(tx, { ...member, email: `new.${member.email}` });
        if (change === 'disabled') await disableMember(tx, tenantId, id, now);
        if (change === 'erased') await deleteMember(tx, tenantId, id, now);
      });
      const answer = await typeCode(browser, page, code);
      expect(answer.status).not.toBe(200);
      expect(answer.headers.location ?? '').not.toMatch(/^https:/);
      expect(answer.headers['set-cookie']?.some((line) => /session=/.test(line)) ?? false).toBe(false);
    },
  );

  it('EC9: means nothing at another tenant', async () => {
    const { browser, page, code } = await asked();
    const there = visitor(service, hosts.b);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    const answer = await typeCode(there, page, code);
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });

  it('EC10: where the tenant has no codes, none is sent and the page offers none', async () => {
    await setEmailCodes(service, hosts.b, 'off');
    const { page, browser } = await asked();
    const { email } = await addMember(service, hosts.b);
    const there = visitor(service, hosts.b);
    const { form, answer } = await askForCode(there, email);
    expect(form.text).not.toContain('value="code"');
    expect([answer.status, problemsOf(answer)]).toEqual([422, ['Enter your password']]);
    await service.delivered();
    expect(codesTo(email)).toEqual([]);
    // One that was asked for before the operator turned them off is worth nothing either.
    await setEmailCodes(service, host, 'off');
    const late = await typeCode(browser, page, '123 456');
    expect(late.headers.location).toMatch(/^\/sign-in\?flow=/);
    await setEmailCodes(service, host, 'beside');
  });

  it('EC11: A17: opens no portal', async () => {
    const { browser, page, code } = await asked();
    await typeCode(browser, page, code);
    const portal = await browser.send('/admin');
    expect([303, 200]).toContain(portal.status);
    expect(portal.text).not.toContain('/admin/members');
    expect([...browser.cookies.keys()].some((name) => /admin/.test(name))).toBe(false);
  });

  it('EC13: digits that prove another thing do not sign in', async () => {
    const { browser } = await askForRecovery(service, host, (await addMember(service, host)).email);
    const email = 'ec13@example.test';
    const signUp = await applied(service, host, { email });
    await service.delivered();
    const digits = codeIn(service.outbox.last(email)).replace(' ', '');
    const [proof] = await proofsOf(email);
    const cookie = [...signUp.browser.cookies.entries()].find(([name]) => /browser/.test(name))?.[1] ?? '';
    const typed = { codeId: String(proof?.id), browser: sha256(cookie), digits };
    const judged = await service.store.transaction((tx) =>
      judgeCode(tx, tenantOf(service, host), typed, service.deps),
    );
    expect(judged.kind).toBe('over');
    expect((await browser.send('/sign-in/code')).status).toBe(400);
  });

  it('EC15: a second factor follows where the member has one', async () => {
    const member = await addMember(service, host);
    const { secret } = await giveSecondFactor(service, member.id);
    const browser = visitor(service, host);
    const { page, code } = await askedForCode(service, browser, member.email);
    const step = await typeCode(browser, page, code);
    expect(step.headers.location).toMatch(/^\/second-factor\?flow=/);
    expect(await sessionsOf(member.id)).toEqual([]);
    const second = await browser.send(String(step.headers.location));
    const body = { flow: field(second, 'flow'), code: await digitsOf(service, secret) };
    const answer = await browser.send('/second-factor', { body });
    expect(answerOf(answer).get('code')).not.toBeNull();
    expect(await sessionsOf(member.id)).toEqual([expect.objectContaining({ amr: 'otp mfa' })]);
  });

  it('right digits verify the address, as the link for a new password does', async () => {
    const member = await addMember(service, host);
    await service.store.transaction((tx) => updateMember(tx, { ...member, emailVerified: false }));
    const browser = visitor(service, host);
    const { page, code } = await askedForCode(service, browser, member.email);
    await typeCode(browser, page, code);
    const stored = await service.store.transaction((tx) => findMember(tx, member.tenantId, member.id));
    expect(stored?.emailVerified).toBe(true);
  });
});
