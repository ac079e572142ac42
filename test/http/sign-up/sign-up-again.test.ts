import { describe, expect, it } from 'vitest';
import { setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { codeIn, linkIn } from '../../support/mails/outbox.ts';
import {
  type Applicant,
  applied,
  countMembers,
  expectArrival,
  expectUsed,
  pressConfirm,
  problemsOf,
  storedMember,
  submitCode,
  wayOn,
} from '../../support/members/sign-up.ts';
import { useService } from '../../support/use-service.ts';
import { field, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const minute = 60_000;

let people = 0;
const newApplicant = () => {
  people += 1;
  return applied(service, hosts.a, { email: `again${people}@example.test`, fullName: `Nora ${people}` });
};

const mailsTo = (email: string) => service.outbox.sent.filter(({ to }) => to === email);

/** Presses a button of the page that waits for the digits. */
const press = ({ browser, verify }: Pick<Applicant, 'browser' | 'verify'>, action: string, email?: string) =>
  browser.send('/sign-up/verify', {
    body: { proof: field(verify, 'proof'), action, ...(email === undefined ? {} : { email }) },
  });

const follow = async ({ browser }: Applicant, answer: Answer) => {
  expect(answer.status).toBe(303);
  const page = await browser.send(String(answer.headers.location));
  await service.delivered();
  return page;
};

describe('pages 20: a sign-up that waits for its mail', () => {
  it('sends it again after a minute, and says until when it does not', async () => {
    const applicant = await newApplicant();
    const email = `again${people}@example.test`;
    expect(applicant.verify.text).toContain('You can send it again in <bdi>1:00</bdi>.');
    service.clock.advance(18_500);
    const early = await follow(applicant, await press(applicant, 'again'));
    expect(early.text).toContain('<bdi>0:42</bdi>');
    expect(mailsTo(email)).toHaveLength(1);

    service.clock.advance(minute);
    const later = await applicant.browser.send(`/sign-up/verify?proof=${field(applicant.verify, 'proof')}`);
    expect(later.text).not.toContain('You can send it again in');
    const verify = await follow(applicant, await press(applicant, 'again'));
    expect(mailsTo(email)).toHaveLength(2);
    const done = await submitCode(applicant.browser, verify, codeIn(service.outbox.last(email)));
    await expectArrival(service, hosts.a, done, applicant);
    expect((await storedMember(service, hosts.a, email))?.fullName).toBe(`Nora ${people}`);
  });

  it('takes the link of the first mail too, where both have come', async () => {
    const applicant = await newApplicant();
    service.clock.advance(minute);
    await follow(applicant, await press(applicant, 'again'));
    await expectArrival(
      service,
      hosts.a,
      await applicant.browser.send(applicant.link, { body: {} }),
      applicant,
    );
  });

  it('goes to another address with everything else that was typed, and the first one proves nothing any more', async () => {
    const applicant = await newApplicant();
    const right = `right${people}@example.test`;
    const verify = await follow(applicant, await press(applicant, 'correct', ` ${right}`));
    expect(verify.text).toContain(`<strong><bdi>${right}</bdi></strong>`);
    const before = await countMembers(service);
    expectUsed(await pressConfirm(visitor(service, hosts.a), applicant.link));
    expectUsed(await submitCode(applicant.browser, applicant.verify, applicant.code));
    expect(await countMembers(service)).toBe(before);
    const done = await submitCode(applicant.browser, verify, codeIn(service.outbox.last(right)));
    await expectArrival(service, hosts.a, done, applicant);
    const { browser } = applicant;
    const signIn = await browser.send('/sign-in');
    expect(signIn.status).toBe(303);
    expect((await storedMember(service, hosts.a, right))?.fullName).toBe(`Nora ${people}`);
  });

  it('goes to another address, and no mail to the first one proves anything any more', async () => {
    const applicant = await newApplicant();
    const [email, right] = [`again${people}@example.test`, `righter${people}@example.test`];
    service.clock.advance(minute);
    const again = await follow(applicant, await press(applicant, 'again'));
    const second = service.outbox.last(email);
    await follow(applicant, await press({ ...applicant, verify: again }, 'correct', right));
    const before = await countMembers(service);
    expectUsed(await applicant.browser.send(applicant.link, { body: {} }));
    expectUsed(await applicant.browser.send(new URL(linkIn(second)).pathname, { body: {} }));
    expectUsed(await submitCode(applicant.browser, again, codeIn(second)));
    expect(await countMembers(service)).toBe(before);
  });

  it('pages 6: says what is wrong with that address, and keeps it', async () => {
    const applicant = await newApplicant();
    const answer = await press(applicant, 'correct', 'nora@');
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      422,
      'Enter an email address, for example name@example.com',
    ]);
    expect(field(answer, 'email')).toBe('nora@');
    expect(answer.text).toContain('<details class="other" open>');
  });

  it('pages 10: gets the same answer for an address with an account, and its owner is told', async () => {
    const applicant = await newApplicant();
    const verify = await follow(applicant, await press(applicant, 'correct', 'u1@example.test'));
    expect(verify.text).toContain('u1@example.test');
    expect(service.outbox.last('u1@example.test').name).toBe('signUpKnown');
  });

  it('F6: is sent five times an hour, and leads back to the digits then', async () => {
    const applicant = await newApplicant();
    let { verify } = applicant;
    for (let index = 0; index < 4; index += 1) {
      service.clock.advance(minute);
      verify = await follow(applicant, await press({ ...applicant, verify }, 'again'));
    }
    service.clock.advance(minute);
    const refused = await press({ ...applicant, verify }, 'again');
    expect(refused.status).toBe(429);
    const back = await applicant.browser.send(String(wayOn(refused)));
    expect(back.text).toContain('<h1>Check your email</h1>');
  });

  it('F6: counts as a sign-up, whatever address it goes to', async () => {
    await setLimits(service, hosts.b, { signUpsPerAddressAndHour: 2 });
    const applicant = await applied(service, hosts.b, { email: 'one@b.test' });
    const one = await follow(applicant, await press(applicant, 'correct', 'two@b.test'));
    const refused = await press({ ...applicant, verify: one }, 'correct', 'three@b.test');
    expect(refused.status).toBe(429);
    expect(mailsTo('three@b.test')).toEqual([]);
  });

  it('A11: belongs to the browser that asked', async () => {
    const applicant = await newApplicant();
    service.clock.advance(minute);
    const { browser: other } = await newApplicant();
    const before = service.outbox.sent.length;
    for (const action of ['again', 'correct'])
      expect((await press({ ...applicant, browser: other }, action, 'other@example.test')).status).toBe(403);
    await service.delivered();
    expect(service.outbox.sent).toHaveLength(before);
    expect(linkIn(service.outbox.last(`again${people}@example.test`))).toBeTruthy();
  });
});
