import { beforeAll, describe, expect, it } from 'vitest';
import { setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import {
  type Applicant,
  applied,
  atSignUp,
  countMembers,
  expectArrival,
  expectUsed,
  expectWorkDone,
  newPassword,
  pressConfirm,
  problemsOf,
  storedMember,
  submitCode,
  wayOn,
} from '../../support/members/sign-up.ts';
import { allRows } from '../../support/records/rows.ts';
import { profile } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { field, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

beforeAll(async () => {
  for (const host of [hosts.a, hosts.b]) {
    await setLimits(service, host, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
  }
});

const minute = 60_000;
const day = 24 * 60 * minute;
const sessionCookie = '__Host-memberdoor-session';

let applicants = 0;

/** A new member who signed up for pub1 and has the mail. */
const newApplicant = async (fullName = 'Ada Berg') => {
  applicants += 1;
  const email = `new${applicants}@example.test`;
  return { email, ...(await applied(service, hosts.a, { email, fullName })) };
};

/** Another device, on which the mail is read. */
const elsewhere = () => visitor(service, hosts.a);

const otherThan = (code: string) => (code === '123 456' ? '654321' : '123456');

/** Checks that no session and no account was made. */
const expectNobody = async ({ browser, email }: Applicant & { email: string }) => {
  expect(await storedMember(service, hosts.a, email)).toBeUndefined();
  expect(browser.cookies.has(sessionCookie)).toBe(false);
};

describe('pages 11: the six digits', () => {
  it('pages 11: nothing is a member before the address is proven, and then exactly what was typed', async () => {
    const before = await countMembers(service);
    const { email, ...applicant } = await newApplicant('  Åse Ødegård ');
    expect(applicant.verify.text).toContain('<h1>Check your email</h1>');
    expect(applicant.verify.text).toContain(email);
    expect(await countMembers(service)).toBe(before);
    const answer = await submitCode(applicant.browser, applicant.verify, applicant.code);
    const token = await expectArrival(service, hosts.a, answer, applicant);
    expect(await storedMember(service, hosts.a, email)).toMatchObject({
      email,
      emailVerified: 1,
      fullName: 'Åse Ødegård',
      userType: 'member',
      status: 'active',
      locale: 'en',
    });
    expect((await profile(service, hosts.a, token)).status).toBe(200);
    // And the next time the password is enough.
    const again = await atSignUp(service, hosts.a, { prompt: 'login' });
    const signedIn = await again.browser.signIn(again.page, email, newPassword);
    await expectArrival(service, hosts.a, signedIn, again);
  });

  it.each([
    ['as the mail shows it', (code: string) => code],
    ['without the space', (code: string) => code.replace(' ', '')],
    ['with a hyphen and spaces around', (code: string) => ` ${code.replace(' ', '-')} `],
  ])('pages 11: are taken %s', async (_how, typed) => {
    const applicant = await newApplicant();
    const answer = await submitCode(applicant.browser, applicant.verify, typed(applicant.code));
    await expectArrival(service, hosts.a, answer, applicant);
  });

  it('pages 6: what cannot be a code is 422 and costs no try', async () => {
    const { browser, verify, code } = await newApplicant();
    for (const typed of ['', '12345', '1234567', 'abcdef', '12 34 5x', '123456'.repeat(1_000)]) {
      const answer = await submitCode(browser, verify, typed);
      expect([answer.status, ...problemsOf(answer)]).toEqual([422, 'Enter the six digits from the email']);
    }
    expect((await submitCode(browser, verify, code)).status).toBe(303);
  });

  it('wrong ones are taken four times; after the fifth neither the right one nor the link works', async () => {
    const applicant = await newApplicant();
    const { browser, verify, code, link } = applicant;
    for (let tries = 1; tries <= 4; tries += 1) {
      const answer = await submitCode(browser, verify, otherThan(code));
      expect([answer.status, problemsOf(answer).length]).toEqual([422, 1]);
    }
    for (const typed of [otherThan(code), code]) expectUsed(await submitCode(browser, verify, typed));
    for (const device of [browser, elsewhere()]) {
      expectUsed(await device.send(link));
      expectUsed(await pressConfirm(device, link));
    }
    await expectNobody(applicant);
  });

  it('the right one works after four wrong ones', async () => {
    const applicant = await newApplicant();
    const { browser, verify, code } = applicant;
    for (let tries = 1; tries <= 4; tries += 1) await submitCode(browser, verify, otherThan(code));
    await expectArrival(service, hosts.a, await submitCode(browser, verify, code), applicant);
  });

  it('work until a day has passed, to the millisecond', async () => {
    const applicant = await newApplicant();
    const { createdAt } = await service.store.transaction((tx) =>
      tx.selectFrom('emailProofs').selectAll().orderBy('createdAt', 'desc').executeTakeFirstOrThrow(),
    );
    const { browser, verify, code, link } = applicant;
    service.clock.set(createdAt + day - 1_000);
    expect((await submitCode(browser, verify, otherThan(code))).status).toBe(422);
    expect((await elsewhere().send(link)).status).toBe(200);
    service.clock.set(createdAt + day);
    expectUsed(await elsewhere().send(link));
    expectUsed(await pressConfirm(elsewhere(), link));
    expectUsed(await submitCode(browser, verify, code));
    await expectNobody(applicant);
  });

  it('work once: pages 7: a visitor who goes back finds the way to the client, not another account', async () => {
    const applicant = await newApplicant();
    const { browser, verify, code } = applicant;
    await expectArrival(service, hosts.a, await submitCode(browser, verify, code), applicant);
    const members = await countMembers(service);
    const again = await submitCode(browser, verify, code);
    expectWorkDone(again, 'Your email address is confirmed');
    const onward = await browser.send(String(wayOn(again)));
    await expectArrival(service, hosts.a, onward, applicant);
    expect(await countMembers(service)).toBe(members);
  });

  it('A11: another browser that has the page can do nothing with it, and is shown how to begin anew', async () => {
    const applicant = await newApplicant();
    const { browser: stranger } = await atSignUp(service, hosts.a);
    for (const device of [elsewhere(), stranger]) {
      const answer = await submitCode(device, applicant.verify, applicant.code);
      expect(answer.status).toBe(403);
      expect(wayOn(answer)).toMatch(/^\/api\/oidc\/auth\?/);
      expect((await device.send(`/sign-up/verify?proof=${field(applicant.verify, 'proof')}`)).status).toBe(
        403,
      );
    }
    await expectNobody(applicant);
    const done = await submitCode(applicant.browser, applicant.verify, applicant.code);
    await expectArrival(service, hosts.a, done, applicant);
  });

  it('a proof that was changed, or is none, is 400', async () => {
    const { browser, verify } = await newApplicant();
    for (const proof of ['', 'x', `${field(verify, 'proof')}x`, `e30.${field(verify, 'proof')}`]) {
      expect((await browser.send('/sign-up/verify', { body: { proof, code: '123456' } })).status).toBe(400);
    }
    expect((await browser.send('/sign-up/verify')).status).toBe(400);
  });

  it('A10: digits or a press from another site are 403 and do nothing', async () => {
    const applicant = await newApplicant();
    const { browser, verify, code, link } = applicant;
    const before = await allRows(service, ['auditEvents']);
    const headers = { 'sec-fetch-site': 'cross-site' };
    const body = { proof: field(verify, 'proof'), code };
    expect((await browser.send('/sign-up/verify', { body, headers })).status).toBe(403);
    expect((await browser.send(link, { body: {}, headers })).status).toBe(403);
    expect(await allRows(service, ['auditEvents'])).toEqual(before);
  });
});

describe('pages 11: the link', () => {
  it('pages 11: opening it changes nothing, however often and whatever opens it', async () => {
    const applicant = await newApplicant();
    const before = await allRows(service);
    for (const device of [elsewhere(), applicant.browser, elsewhere()]) {
      const page = await device.send(applicant.link);
      expect(page.status).toBe(200);
      expect(page.text).toContain(applicant.email);
    }
    await elsewhere().send(applicant.link, { method: 'HEAD' });
    await elsewhere().send(applicant.link, { headers: { 'sec-purpose': 'prefetch' } });
    expect(await allRows(service)).toEqual(before);
  });

  it('pages 11: in the browser that asked, its button goes on to the client', async () => {
    const applicant = await newApplicant();
    const answer = await pressConfirm(applicant.browser, applicant.link);
    await expectArrival(service, hosts.a, answer, applicant);
    expectWorkDone(await applicant.browser.send(applicant.link), 'Your email address is confirmed');
  });

  it('pages 11: on another device it says to go back and does not sign in, and the first browser goes on', async () => {
    const applicant = await newApplicant();
    const phone = elsewhere();
    const pressed = await pressConfirm(phone, applicant.link);
    expect(pressed.status).toBe(200);
    expect(pressed.text).toContain('Go back to where you started');
    expect(pressed.headers.location).toBeUndefined();
    expect(phone.cookies.has(sessionCookie)).toBe(false);
    expect(await storedMember(service, hosts.a, applicant.email)).toBeDefined();
    // Once more, on either device: the same page, and no second account.
    for (const device of [phone, elsewhere()]) {
      expect((await device.send(applicant.link)).text).toContain('Go back to where you started');
      expect((await pressConfirm(device, applicant.link)).status).toBe(200);
    }
    const { browser, verify } = applicant;
    const back = await browser.send(`/sign-up/verify?proof=${field(verify, 'proof')}`);
    expect(back.text).not.toContain('name="code"');
    const answer = await submitCode(browser, back, '');
    await expectArrival(service, hosts.a, answer, applicant);
    expectWorkDone(await phone.send(applicant.link), 'Your email address is confirmed');
  });

  it('pages 11: on another device it takes the password of the sign-up, because the address may be another person’s', async () => {
    const applicant = await newApplicant();
    const phone = elsewhere();
    expect((await phone.send(applicant.link)).text).toContain('name="password"');
    expect((await applicant.browser.send(applicant.link)).text).not.toContain('name="password"');
    for (const [password, problem] of [
      ['', 'Enter the password you chose'],
      ['not the password', 'This is not the password you chose'],
    ] as const) {
      const answer = await pressConfirm(phone, applicant.link, password);
      expect([answer.status, problemsOf(answer).length]).toEqual([422, 1]);
      expect(problemsOf(answer)[0]).toContain(problem);
    }
    await expectNobody(applicant);
    expect((await pressConfirm(phone, applicant.link)).status).toBe(200);
    expect(await storedMember(service, hosts.a, applicant.email)).toBeDefined();
  });

  it('pages 11: wrong passwords on another device count as wrong codes do', async () => {
    const applicant = await newApplicant();
    for (let tries = 1; tries <= 5; tries += 1) await pressConfirm(elsewhere(), applicant.link, 'wrong one');
    expectUsed(await pressConfirm(elsewhere(), applicant.link));
    expectUsed(await submitCode(applicant.browser, applicant.verify, applicant.code));
    await expectNobody(applicant);
  });

  it('pages 11: the page that still asks for digits goes on too, whatever is typed', async () => {
    const applicant = await newApplicant();
    await pressConfirm(elsewhere(), applicant.link);
    const answer = await submitCode(applicant.browser, applicant.verify, '');
    await expectArrival(service, hosts.a, answer, applicant);
  });

  it.each(['x', 'x'.repeat(43)])('one that was never sent is nothing: %s', async (secret) => {
    expectUsed(await elsewhere().send(`/sign-up/confirm/${secret}`));
    expectUsed(await pressConfirm(elsewhere(), `/sign-up/confirm/${secret}`));
  });

  it("X1: another tenant's link and page are nothing, and work where they belong", async () => {
    const applicant = await newApplicant();
    const at = visitor(service, hosts.b);
    for (const [name, value] of applicant.browser.cookies) at.cookies.set(name, value);
    expect((await at.send(applicant.link)).status).toBe(410);
    expect((await pressConfirm(at, applicant.link)).status).toBe(410);
    expect((await submitCode(at, applicant.verify, applicant.code)).status).toBe(400);
    const answer = await pressConfirm(applicant.browser, applicant.link);
    await expectArrival(service, hosts.a, answer, applicant);
  });
});
