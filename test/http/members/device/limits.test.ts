import { describe, expect, it } from 'vitest';
import {
  codesFor,
  expectNotValid,
  type Phone,
  pageOf,
  phoneOf,
  phonesOf,
  poll,
  setLimits,
  startUnlimited,
  textOf,
  unlimited,
} from '../../../support/device.ts';
import { expectErrorPage, expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { useStartedAnew } from '../../../support/use-service.ts';

const minute = 60_000;

const service = useStartedAnew(() => startUnlimited({ trustedProxies: ['127.0.0.1'] }));

/** Opens a code's page from this address. */
const openFrom = (phone: Phone, address: string, userCode: string): Promise<Answer> =>
  phone.send(pageOf(userCode), { headers: { 'x-forwarded-for': address } });

let entered = 0;

/** A code that the test never issued, and another one each time: the same code again is not another guess. */
const wrong = () => {
  entered += 1;
  return `000 ${String(entered % 1_000).padStart(3, '0')}`;
};

const expectLimited = (page: Answer) => {
  expectErrorPage(page, 429);
  expect(page.headers['retry-after']).toBe('900');
  expect(page.text).not.toContain('name="confirm"');
};

describe('one member', () => {
  it('U9: the 6th wrong code in 15 minutes is 429, and so is the right one until the window ends', async () => {
    const phone = await phoneOf(service, hosts.a);
    const { user_code: userCode, device_code: deviceCode } = await codesFor(service, hosts.a);
    for (let count = 0; count < 5; count += 1) expectNotValid(await phone.open(wrong()));
    expectLimited(await phone.open(wrong()));
    expectLimited(await phone.open(userCode));
    service.clock.advance(14 * minute);
    expectLimited(await phone.open(userCode));
    expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'authorization_pending');
    service.clock.advance(minute);
    const { user_code: next } = await codesFor(service, hosts.a);
    expect((await phone.approve(next)).headers.location).toMatch(/^\/device\/approved\?/);
  });

  it('U9: what is refused while the limit holds does not make it longer', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) await phone.open(wrong());
    for (let count = 0; count < 20; count += 1) {
      service.clock.advance(40_000);
      expectLimited(await phone.open(wrong()));
    }
    service.clock.advance(15 * minute - 20 * 40_000);
    expectNotValid(await phone.open(wrong()));
  });

  it('U9: from another address, or another browser, it is the same member', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) {
      expectNotValid(await openFrom(phone, `198.51.100.${count}`, wrong()));
    }
    expectLimited(await openFrom(phone, '203.0.113.9', wrong()));
    expectLimited(await (await phoneOf(service, hosts.a)).open(wrong()));
  });

  it('U9: another member is not concerned, nor the member of the same address on another tenant', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 6; count += 1) await phone.open(wrong());
    expectNotValid(await (await phoneOf(service, hosts.a, 'u2@example.test')).open(wrong()));
    expectNotValid(await (await phoneOf(service, hosts.b)).open(wrong()));
  });

  it('U9: how many is settable, and may be no limit', async () => {
    const phone = await phoneOf(service, hosts.a);
    await setLimits(service, hosts.a, { ...unlimited, wrongUserCodesPerMember: 2 });
    for (let count = 0; count < 2; count += 1) expectNotValid(await phone.open(wrong()));
    expectLimited(await phone.open(wrong()));
    await setLimits(service, hosts.a, { ...unlimited, wrongUserCodesPerMember: null });
    for (let count = 0; count < 10; count += 1) expectNotValid(await phone.open(wrong()));
  });

  it('decision 45: one wrong code, loaded again and again by the same browser, is one guess', async () => {
    const phone = await phoneOf(service, hosts.a);
    const [typed, other] = [wrong(), wrong()];
    for (let count = 0; count < 10; count += 1) expectNotValid(await phone.open(typed));
    await Promise.all(Array.from({ length: 10 }, () => phone.open(other)));
    const refused = (await auditEvents(service)).filter(({ event }) => event === 'device_code_wrong');
    expect(refused).toHaveLength(2);
    for (let count = 0; count < 3; count += 1) expectNotValid(await phone.open(wrong()));
    expectLimited(await phone.open(typed));
  });

  it('decision 45: in another browser, or after the 15 minutes, it is another guess', async () => {
    await setLimits(service, hosts.a, { ...unlimited, wrongUserCodesPerMember: 2 });
    const [phone, tablet] = [await phoneOf(service, hosts.a), await phoneOf(service, hosts.a)];
    const typed = wrong();
    for (const browser of [phone, tablet]) expectNotValid(await browser.open(typed));
    expectLimited(await phone.open(wrong()));
    service.clock.advance(15 * minute);
    for (const browser of [phone, phone, tablet]) expectNotValid(await browser.open(typed));
    expectLimited(await phone.open(wrong()));
  });

  it('U9: right codes are not counted', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 10; count += 1) {
      await phone.approve((await codesFor(service, hosts.a)).user_code);
    }
    expectNotValid(await phone.open(wrong()));
  });

  it('U9: 50 parallel tries are no more than 5', async () => {
    const phone = await phoneOf(service, hosts.a);
    const pages = await Promise.all(Array.from({ length: 50 }, () => phone.open(wrong())));
    expect(pages.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(pages.filter(({ status }) => status === 429)).toHaveLength(45);
  });

  it('U9: a restart forgives nothing', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) expectNotValid(await phone.open(wrong()));
    await service.restart();
    expectLimited(await (await phoneOf(service, hosts.a)).open(wrong()));
    service.clock.advance(15 * minute);
    expectNotValid(await (await phoneOf(service, hosts.a)).open(wrong()));
  });

  it('pages 8: the page of the limit says what to do and has a reference that is in the log', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) await phone.open(wrong());
    const page = await phone.open(wrong());
    const reference = /\b[0-9a-z]{8}(?=<\/|\.?\s*<)/.exec(
      page.text.slice(page.text.indexOf('reference')),
    )?.[0];
    expect(reference).toBeDefined();
    expect(service.logLines.some((line) => line.includes(`"reqId":"${reference}"`))).toBe(true);
    expect(textOf(page)).toMatch(/15 minutes/);
  });
});

describe('one address', () => {
  const spend = async (phones: readonly Phone[], address: (count: number) => string) => {
    let count = 0;
    for (const phone of phones) {
      for (let tries = 0; tries < 5; tries += 1) {
        expectNotValid(await openFrom(phone, address(count), wrong()));
        count += 1;
      }
    }
    expect(count).toBe(30);
  };

  it('decision 32: one address has 30 wrong codes in 15 minutes, however many members enter them', async () => {
    const [last, ...others] = await phonesOf(service, hosts.a, 7);
    if (last === undefined) throw new Error('no phones');
    await spend(others, () => '203.0.113.7');
    const { user_code: userCode } = await codesFor(service, hosts.a);
    expectLimited(await openFrom(last, '203.0.113.7', userCode));
    expect((await openFrom(last, '203.0.113.8', userCode)).status).toBe(200);
    service.clock.advance(15 * minute);
    expectNotValid(await openFrom(last, '203.0.113.7', userCode));
  });

  it('decision 32: the /64 of an IPv6 address counts as one', async () => {
    const [last, ...others] = await phonesOf(service, hosts.a, 7);
    if (last === undefined) throw new Error('no phones');
    await spend(others, (count) => `2001:db8:0:7:${(count + 1).toString(16)}::${count}`);
    expectLimited(await openFrom(last, '2001:db8::7:ffff:ffff:ffff:ffff', wrong()));
    expectNotValid(await openFrom(last, '2001:db8:0:8::1', wrong()));
  });

  it('decision 32: how many is settable', async () => {
    await setLimits(service, hosts.a, { ...unlimited, wrongUserCodesPerAddress: 2 });
    const phone = await phoneOf(service, hosts.a);
    expectNotValid(await openFrom(phone, '203.0.113.7', wrong()));
    expectNotValid(await openFrom(phone, '203.0.113.7', wrong()));
    expectLimited(await openFrom(phone, '203.0.113.7', wrong()));
  });
});
