import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { recoveryLink } from '../../support/members/recover.ts';
import { atSignUp, newPassword, submitSignUp } from '../../support/members/sign-up.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ data: 'security', trustedProxies: ['127.0.0.1'] });
});
afterAll(() => service.stop());

const hour = 60 * 60_000;

describe('limits of sign-ups', () => {
  const limited = async (sends: number, forwarded: (index: number) => string) => {
    const { browser, page } = await atSignUp(service, hosts.a);
    const answers = [];
    for (let index = 0; index < sends; index += 1) {
      const headers = { 'x-forwarded-for': forwarded(index) };
      const answer = await submitSignUp(browser, page, { email: `limit${index}@example.test` }, headers);
      answers.push(answer);
    }
    return answers;
  };

  it('security, Defaults: 20 an hour from one address, then a 429 page that says when', async () => {
    await setLimits(service, hosts.a, {});
    const answers = await limited(21, () => '203.0.113.1');
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(303));
    const last = answers[20];
    expect(last?.status).toBe(429);
    expect(last?.text).toContain('<title>Error: Too many sign-ups from here – Tenant A</title>');
    const wait = Number(last?.headers['retry-after']);
    expect(wait).toBeGreaterThan(3_000);
    expect(wait).toBeLessThanOrEqual(3_600);
    // Other addresses go on, but not others of the same household; and so does this one after the hour.
    expect((await limited(1, () => '203.0.113.2'))[0]?.status).toBe(303);
    service.clock.advance(wait * 1_000);
    expect((await limited(1, () => '203.0.113.1'))[0]?.status).toBe(303);
  });

  it('security, Defaults: 100 a day from one address, counted by the /64 of IPv6', async () => {
    await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: 5 });
    const answers = await limited(6, (index) => `2001:db8:1:2::${index + 1}`);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303, 429]);
    expect(Number(answers[5]?.headers['retry-after'])).toBeGreaterThan(80_000);
    expect((await limited(1, () => '2001:db8:1:3::1'))[0]?.status).toBe(303);
  });

  it('a form with errors does not count', async () => {
    await setLimits(service, hosts.a, { signUpsPerAddressAndHour: 1 });
    const { browser, page } = await atSignUp(service, hosts.a);
    const send = (password: string) =>
      submitSignUp(
        browser,
        page,
        { email: 'x@example.test', password },
        { 'x-forwarded-for': '203.0.113.9' },
      );
    for (const password of ['short', 'short', newPassword]) await send(password);
    expect((await send(newPassword)).status).toBe(429);
  });

  it('whoever floods an address with sign-ups keeps no link for a new password from its owner', async () => {
    await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
    service.clock.advance(2 * hour);
    const email = 'u2@example.test';
    for (let index = 0; index < 10; index += 1) {
      const { browser, page } = await atSignUp(service, hosts.a);
      await submitSignUp(browser, page, { email });
    }
    await recoveryLink(service, hosts.a, email);
  });

  it('at most five mails an hour go to one address, known or not; the page stays the same', async () => {
    await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
    service.clock.advance(2 * hour);
    for (const email of ['flooded@example.test', 'u1@example.test']) {
      const mails = () => service.outbox.sent.filter(({ to }) => to === email).length;
      const send = async () => {
        const { browser, page } = await atSignUp(service, hosts.a);
        const { status } = await submitSignUp(browser, page, { email });
        await service.delivered();
        return status;
      };
      const before = mails();
      for (let index = 0; index < 7; index += 1) expect(await send()).toBe(303);
      expect(mails() - before).toBe(5);
      service.clock.advance(hour);
      await send();
      expect(mails() - before).toBe(6);
    }
  });
});
