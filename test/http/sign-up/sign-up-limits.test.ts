import { beforeEach, describe, expect, it } from 'vitest';
import { setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { recoveryLink } from '../../support/members/recover.ts';
import { atSignUp, newPassword, submitSignUp, wayOn } from '../../support/members/sign-up.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });

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

  it('a flood of sign-ups for an address does not keep a recovery link from its owner', async () => {
    await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
    service.clock.advance(2 * hour);
    const email = 'u2@example.test';
    for (let index = 0; index < 10; index += 1) {
      const { browser, page } = await atSignUp(service, hosts.a);
      await submitSignUp(browser, page, { email });
    }
    await recoveryLink(service, hosts.a, email);
  });
});

describe.each([
  ['without an account', 'flooded@example.test'],
  ['with one', 'u1@example.test'],
])('F6: mails to one address %s', (_what, email) => {
  beforeEach(async () => {
    await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
    service.clock.advance(2 * hour);
  });

  const mails = () => service.outbox.sent.filter(({ to }) => to === email).length;

  /** Signs up with the address, in a new browser or the one given. */
  const send = async (forwarded: string, browser = visitor(service, hosts.a)) => {
    const { page } = await atSignUp(service, hosts.a, {}, browser);
    const headers = { 'x-forwarded-for': forwarded };
    const answer = await submitSignUp(browser, page, { email }, headers);
    await service.delivered();
    return { browser, answer };
  };

  it('F6: a stranger’s sign-ups keep none from the owner’s browser', async () => {
    const before = mails();
    const stranger = visitor(service, hosts.a);
    for (let index = 0; index < 6; index += 1) await send('203.0.113.20', stranger);
    expect(mails() - before).toBe(5);
    expect((await send('203.0.113.20')).answer.status).toBe(303);
    expect(mails() - before).toBe(6);
  });

  it('F6: nor do those of a network of strangers, with a new browser each time', async () => {
    const before = mails();
    for (let index = 0; index < 12; index += 1) await send('203.0.113.21');
    expect(mails() - before).toBe(10);
    expect((await send('203.0.113.22')).answer.status).toBe(303);
    expect(mails() - before).toBe(11);
  });

  it('F6: one that is not sent is not claimed, and the page says when to come again and leads back', async () => {
    const { browser } = await send('203.0.113.23');
    for (let index = 0; index < 4; index += 1) await send('203.0.113.23', browser);
    const { answer } = await send('203.0.113.23', browser);
    expect(answer.status).toBe(429);
    expect(answer.headers['retry-after']).toBe('3600');
    expect(answer.text).toContain('none was sent this time');
    expect(answer.text).not.toContain('We have sent');
    expect((await browser.send(String(wayOn(answer)))).text).toContain('<h1>Create an account</h1>');
    service.clock.advance(hour);
    expect((await send('203.0.113.23', browser)).answer.status).toBe(303);
  });

  it('F6: twenty an hour are sent, however many visitors ask, so that a mailbox is not flooded', async () => {
    const before = mails();
    for (let index = 0; index < 25; index += 1) await send(`203.0.113.${index + 30}`);
    expect(mails() - before).toBe(20);
  });
});
