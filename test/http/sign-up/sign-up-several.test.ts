import { beforeAll, describe, expect, it } from 'vitest';
import { hashProofCode } from '../../../src/operations/email-proof/email-proof.ts';
import { setLimits, tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { codeIn } from '../../support/mails/outbox.ts';
import {
  applied,
  atSignUp,
  countMembers,
  expectArrival,
  expectUsed,
  newPassword,
  pressConfirm,
  storedMember,
  submitCode,
  submitSignUp,
  wayOn,
} from '../../support/members/sign-up.ts';
import { useService } from '../../support/use-service.ts';
import { answerOf, authorizationParameters, pkce, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

beforeAll(async () => {
  await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
});

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

describe('one address, several sign-ups', () => {
  /** Two people who typed the same address; the mails are those of its owner. */
  const twoApplicants = async () => {
    const first = await newApplicant('First');
    const details = { email: first.email, fullName: 'Second', password: 'another good password' };
    return { first, second: { email: first.email, ...(await applied(service, hosts.a, details)) } };
  };

  it('the one proven first gets the account; the other proof is over, and its password opens nothing', async () => {
    const { first, second } = await twoApplicants();
    await expectArrival(
      service,
      hosts.a,
      await submitCode(second.browser, second.verify, second.code),
      second,
    );
    const answer = await submitCode(first.browser, first.verify, first.code);
    expectUsed(answer);
    expect(first.browser.cookies.has(sessionCookie)).toBe(false);
    expect((await storedMember(service, hosts.a, first.email))?.fullName).toBe('Second');
    // The way on is the sign-in page of the same flow.
    const signIn = await first.browser.send(String(wayOn(answer)));
    expect((await first.browser.signIn(signIn, first.email, newPassword)).status).toBe(422);
    const done = await first.browser.signIn(signIn, first.email, 'another good password');
    await expectArrival(service, hosts.a, done, first);
  });

  it('a link of the other, pressed on a phone, does not say that all is well', async () => {
    const { first, second } = await twoApplicants();
    await pressConfirm(elsewhere(), first.link);
    const phone = elsewhere();
    expectUsed(await pressConfirm(phone, second.link, 'another good password'));
    expectUsed(await phone.send(second.link));
    expectUsed(await submitCode(second.browser, second.verify, ''));
    expect(second.browser.cookies.has(sessionCookie)).toBe(false);
  });

  it('both at the same moment: one account, one signed in', async () => {
    const { first, second } = await twoApplicants();
    const members = await countMembers(service);
    const answers = await Promise.all(
      [first, second].map(({ browser, verify, code }) => submitCode(browser, verify, code)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
    expect(await countMembers(service)).toBe(members + 1);
  });

  it('one proof sent twenty times at once is used once', async () => {
    const applicant = await newApplicant();
    const members = await countMembers(service);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => submitCode(applicant.browser, applicant.verify, applicant.code)),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(19);
    expect(await countMembers(service)).toBe(members + 1);
  });

  it('a known address has no code that could be guessed, so that no stranger gets its account', async () => {
    const { browser, page } = await atSignUp(service, hosts.a);
    const answer = await submitSignUp(browser, page, { email: 'u1@example.test' });
    const verify = await browser.send(String(answer.headers.location));
    // Even the right digits would give nothing: here every proof takes 123456 by its own hash.
    const key = tenantOf(service, hosts.a).tokenKey;
    await service.store.transaction(async (tx) => {
      const { id } = await tx
        .selectFrom('emailProofs')
        .select('id')
        .orderBy('createdAt', 'desc')
        .executeTakeFirstOrThrow();
      await tx
        .updateTable('emailProofs')
        .set({ codeHash: hashProofCode(key, id, '123456') })
        .where('id', '=', id)
        .execute();
    });
    expectUsed(await submitCode(browser, verify, '123456'));
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });
});

describe('a flow that waited for a mail', () => {
  it('goes on with the consent page of a third party, and nothing is shared before', async () => {
    const details = { email: 'third@example.test' };
    const more = { client_id: 'third', redirect_uri: 'https://third.test/cb' };
    const { browser, verify, code } = await applied(service, hosts.a, details, more);
    const answer = await submitCode(browser, verify, code);
    expect(answer.headers.location).toMatch(/^\/consent\?flow=/);
  });

  it('takes the place of another member who was signed in here', async () => {
    const browser = visitor(service, hosts.a);
    const parameters = authorizationParameters('pub1', 'https://pub1.test/cb', pkce());
    await browser.signIn(await browser.authorize(parameters), 'u1@example.test');
    const before = browser.cookies.get(sessionCookie);
    const newcomer = await atSignUp(service, hosts.a, {}, browser);
    const answer = await submitSignUp(browser, newcomer.page, { email: 'instead@example.test' });
    const verify = await browser.send(String(answer.headers.location));
    await service.delivered();
    const done = await submitCode(browser, verify, codeIn(service.outbox.last('instead@example.test')));
    await expectArrival(service, hosts.a, done, newcomer);
    expect(browser.cookies.get(sessionCookie)).not.toBe(before);
    expect(answerOf(await browser.authorize({ ...parameters, prompt: 'none' })).get('code')).not.toBeNull();
  });
});
