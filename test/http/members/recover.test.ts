import { describe, expect, it } from 'vitest';
import { disableMember } from '../../../src/operations/member/member.ts';
import { hosts } from '../../support/fixtures.ts';
import { linkIn } from '../../support/mails/outbox.ts';
import {
  addMember,
  askForRecovery,
  oldPassword,
  recoveryLink,
  submitRecovery,
  submitReset,
} from '../../support/members/recover.ts';
import {
  expectUsed,
  expectWorkDone,
  newPassword,
  problemsOf,
  storedMember,
  wayOn,
} from '../../support/members/sign-up.ts';
import { allRows } from '../../support/records/rows.ts';
import { apps } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, visitor, withoutSeals } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const minute = 60_000;
/** One more member of tenant a, whose password is the old one. */
const newMember = () => addMember(service, hosts.a);

const mailsTo = (email: string) => service.outbox.sent.filter(({ to }) => to === email);

/** A sign-in page of pub1 in a new browser, the form sent with this password. */
const signInWith = async (email: string, password: string, browser = visitor(service, hosts.a)) => {
  const parameters = authorizationParameters('pub1', apps.pub1.redirectUri, pkce(), { prompt: 'login' });
  return browser.signIn(await browser.authorize(parameters), email, password);
};

describe('pages 10: asking for a new password', () => {
  it('pages 10: an unknown, a known and a disabled address get the same answer; only an owner gets a mail', async () => {
    const disabled = await newMember();
    await service.store.transaction((tx) =>
      disableMember(tx, disabled.tenantId, disabled.id, service.clock.now()),
    );
    const known = await newMember();
    const seen = [];
    for (const email of [known.email, disabled.email, 'r0@example.test']) {
      const { answer, sent, form } = await askForRecovery(service, hosts.a, email);
      const { date: _, location, ...headers } = answer.headers;
      expect(location).toMatch(/^\/recover\/sent\?flow=/);
      expect(form.text).toContain('<h1>Choose a new password</h1>');
      expect(location).not.toContain(email);
      const shown = withoutSeals(sent.text, email);
      seen.push({ status: answer.status, headers: Object.keys(headers), text: answer.text, shown });
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    await service.delivered();
    expect(mailsTo(known.email).map(({ name }) => name)).toEqual(['passwordReset']);
    expect(mailsTo(disabled.email)).toEqual([]);
    expect(mailsTo('r0@example.test')).toEqual([]);
  });

  it.each(['/recover/sent', '/recover/sent?flow=x.y.z'])(
    'pages 20: %s typed by hand claims no mail',
    async (path) => {
      const { status, headers } = await visitor(service, hosts.a).send(path);
      expect([status, headers.location]).toEqual([303, '/recover']);
    },
  );

  it('pages 20: nor does the flow of a page where none was asked for', async () => {
    const { browser, form } = await askForRecovery(service, hosts.a, 'r0@example.test');
    const answer = await browser.send(`/recover/sent?flow=${field(form, 'flow')}`);
    expect([answer.status, answer.headers.location]).toEqual([303, '/recover']);
  });

  it('the mail goes to the address of the account, however it was typed', async () => {
    const { email } = await newMember();
    await askForRecovery(service, hosts.a, `  ${email.toUpperCase()} `);
    await service.delivered();
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('pages 6: what is no address is 422, says so, and nothing is stored', async () => {
    const { browser, form } = await askForRecovery(service, hosts.a, 'r0@example.test');
    const before = await allRows(service);
    for (const email of ['', 'r1', 'r1@example.test\r\nBcc: eve@evil.test']) {
      const answer = await submitRecovery(browser, form, email);
      expect([answer.status, problemsOf(answer).length]).toEqual([422, 1]);
    }
    expect(await allRows(service)).toEqual(before);
  });

  it('F6: a browser has five mails an hour sent to one address, and then none is claimed, account or not', async () => {
    const said = [];
    for (const email of [(await newMember()).email, 'r0@example.test']) {
      const browser = visitor(service, hosts.a);
      for (let index = 0; index < 5; index += 1) {
        expect((await askForRecovery(service, hosts.a, email, { browser })).answer.status).toBe(303);
      }
      const { answer } = await askForRecovery(service, hosts.a, email, { browser });
      expect(answer.status).toBe(429);
      const again = await browser.send(String(wayOn(answer)));
      expect(again.text).toContain('<h1>Choose a new password</h1>');
      said.push(withoutSeals(answer.text).replaceAll(/Reference: [\w-]+/g, '#'));
    }
    expect(said[1]).toBe(said[0]);
  });

  it('F6: strangers who ask for an address keep no mail from its owner', async () => {
    const { email } = await newMember();
    const stranger = visitor(service, hosts.a);
    for (let index = 0; index < 6; index += 1) {
      await askForRecovery(service, hosts.a, email, { browser: stranger });
    }
    await service.delivered();
    expect(mailsTo(email)).toHaveLength(5);
    await recoveryLink(service, hosts.a, email);
    expect(mailsTo(email)).toHaveLength(6);
    service.clock.advance(60 * minute);
    await recoveryLink(service, hosts.a, email, { browser: stranger });
    expect(mailsTo(email)).toHaveLength(7);
  });

  it('A10: a form of another site is 403 and sends no mail', async () => {
    const { browser, form } = await askForRecovery(service, hosts.a, 'r0@example.test');
    const before = await allRows(service);
    const body = { flow: field(form, 'flow'), email: 'u1@example.test' };
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await browser.send('/recover', { body, headers })).status).toBe(403);
    expect(await allRows(service)).toEqual(before);
  });
});

describe('the link of the mail', () => {
  it('opening it changes nothing, however often', async () => {
    const { email } = await newMember();
    const link = await recoveryLink(service, hosts.a, email);
    const before = await allRows(service);
    for (let times = 0; times < 3; times += 1) {
      const page = await visitor(service, hosts.a).send(link);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`For ${email}`);
    }
    await visitor(service, hosts.a).send(link, { method: 'HEAD' });
    expect(await allRows(service)).toEqual(before);
  });

  it('sets a password once; the old one is dead, the new one signs in, and the owner is told', async () => {
    const { email } = await newMember();
    const link = await recoveryLink(service, hosts.a, email);
    const browser = visitor(service, hosts.a);
    const done = await submitReset(browser, link, newPassword);
    expect(done.status).toBe(200);
    expect(done.text).toContain('<h1>Your password is changed</h1>');
    expect((await signInWith(email, oldPassword)).status).toBe(422);
    expect((await signInWith(email, newPassword)).status).toBe(303);
    const stored = await storedMember(service, hosts.a, email);
    expectWorkDone(await browser.send(link), 'Your password is changed');
    expectWorkDone(await submitReset(browser, link, 'yet another password'), 'Your password is changed');
    expect(await storedMember(service, hosts.a, email)).toEqual(stored);
    await service.delivered();
    const [, told] = mailsTo(email);
    expect(told?.name).toBe('passwordChanged');
    expect(new URL(linkIn(told ?? { text: '' })).pathname).toBe('/recover');
  });

  it('ends the other links that were asked for, so that an older one cannot undo it', async () => {
    const { email } = await newMember();
    const first = await recoveryLink(service, hosts.a, email);
    const second = await recoveryLink(service, hosts.a, email);
    expect(second).not.toBe(first);
    await submitReset(visitor(service, hosts.a), second, newPassword);
    expectUsed(await visitor(service, hosts.a).send(first));
    expectUsed(await submitReset(visitor(service, hosts.a), first, 'yet another password'));
    expect((await signInWith(email, newPassword)).status).toBe(303);
  });

  it('sent twenty times at once it sets one password', async () => {
    const { email } = await newMember();
    const link = await recoveryLink(service, hosts.a, email);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        submitReset(visitor(service, hosts.a), link, `${newPassword} ${index}`),
      ),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    await service.delivered();
    expect(mailsTo(email).filter(({ name }) => name === 'passwordChanged')).toHaveLength(1);
  });

  it('works for 30 minutes, to the millisecond', async () => {
    const [first, second] = [await newMember(), await newMember()];
    const ends = [];
    for (const { email } of [first, second]) {
      const link = await recoveryLink(service, hosts.a, email);
      const { expiresAt } = await service.store.transaction((tx) =>
        tx.selectFrom('emailProofs').select('expiresAt').where('email', '=', email).executeTakeFirstOrThrow(),
      );
      ends.push({ link, expiresAt });
    }
    const [good, late] = ends;
    // Each request reads the clock a few times, and each reading is a millisecond later.
    service.clock.set(Number(good?.expiresAt) - 20);
    expect((await visitor(service, hosts.a).send(String(good?.link))).status).toBe(200);
    service.clock.set(Number(good?.expiresAt) - 20);
    expect((await submitReset(visitor(service, hosts.a), String(good?.link), newPassword)).status).toBe(200);
    service.clock.set(Number(late?.expiresAt));
    expectUsed(await visitor(service, hosts.a).send(String(late?.link)));
    service.clock.set(Number(late?.expiresAt));
    expectUsed(await submitReset(visitor(service, hosts.a), String(late?.link), newPassword));
    expect((await signInWith(second.email, oldPassword)).status).toBe(303);
  });

  it.each([
    ['eleven characters', 'kvist og el', 'Enter at least 12 characters'],
    ['nothing', '', 'Enter a password'],
    ['a common one', 'password1234', 'Choose a less common password. Add another word or two'],
    ['more than 1,024 bytes', 'ø'.repeat(513), 'Enter a shorter password'],
  ])('takes no bad password: %s; and may be tried again', async (_what, password, text) => {
    const { email } = await newMember();
    const link = await recoveryLink(service, hosts.a, email);
    const browser = visitor(service, hosts.a);
    const answer = await submitReset(browser, link, password);
    expect(answer.status).toBe(422);
    expect(problemsOf(answer).join()).toContain(text);
    if (password !== '') expect(answer.text).not.toContain(password);
    expect((await submitReset(browser, link, email)).status).toBe(422);
    expect((await submitReset(browser, link, newPassword)).status).toBe(200);
  });

  it('A14: of a member who was disabled since it was sent sets nothing', async () => {
    const member = await newMember();
    const link = await recoveryLink(service, hosts.a, member.email);
    await service.store.transaction((tx) =>
      disableMember(tx, member.tenantId, member.id, service.clock.now()),
    );
    const before = await storedMember(service, hosts.a, member.email);
    expectUsed(await submitReset(visitor(service, hosts.a), link, newPassword));
    expect(await storedMember(service, hosts.a, member.email)).toEqual(before);
  });

  it("X1: of another tenant, or of none, is nothing, and another tenant's account stays as it is", async () => {
    const link = await recoveryLink(service, hosts.a, 'u1@example.test');
    const before = await storedMember(service, hosts.b, 'u1@example.test');
    for (const path of [link, `/recover/reset/${'x'.repeat(43)}`]) {
      const answer = await submitReset(visitor(service, hosts.b), path, newPassword);
      expect(answer.status).toBe(410);
      expect((await visitor(service, hosts.b).send(path)).status).toBe(410);
      expect(wayOn(answer)).toBe('/recover');
    }
    expect(await storedMember(service, hosts.b, 'u1@example.test')).toEqual(before);
    expect((await visitor(service, hosts.a).send(link)).status).toBe(200);
  });

  it('A10: a password from another site is 403 and sets nothing', async () => {
    const link = await recoveryLink(service, hosts.a, 'u2@example.test');
    const before = await allRows(service);
    const headers = { origin: 'https://evil.test' };
    const answer = await visitor(service, hosts.a).send(link, { body: { password: newPassword }, headers });
    expect(answer.status).toBe(403);
    expect(await allRows(service)).toEqual(before);
  });

  it('W7, W9: neither link nor password stand in a log line or a row', async () => {
    const { email } = await newMember();
    const from = service.logLines.length;
    const link = await recoveryLink(service, hosts.a, email);
    await submitReset(visitor(service, hosts.a), link, 'short one');
    await submitReset(visitor(service, hosts.a), link, 'hemmelig ord i skogen');
    const everything = service.logLines.slice(from).join('') + JSON.stringify(await allRows(service));
    for (const secret of [link.split('/').at(-1), 'short one', 'hemmelig ord i skogen']) {
      expect(everything).not.toContain(secret);
    }
  });
});
