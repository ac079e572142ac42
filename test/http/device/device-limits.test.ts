import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findMemberByEmail, insertMember } from '../../../src/storage/members/member.ts';
import { insertWrongUserCode } from '../../../src/storage/members/wrong-user-code.ts';
import {
  codesFor,
  expectNotValid,
  type Phone,
  pageOf,
  phoneOf,
  poll,
  pollTokens,
  setLimits,
  tenantOf,
  textOf,
  unlimited,
} from '../../support/device.ts';
import { hosts, memberOf } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { expectErrorPage, expectJsonError } from '../../support/records/expectations.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts';

const minute = 60_000;

let service: TestService;
let options: TestServiceOptions;

beforeEach(async () => {
  // Behind a proxy, so that a request can come from any address.
  const proxied = { data: 'security', trustedProxies: ['127.0.0.1'] } as const;
  options = { ...proxied, folder: temporaryFolder(), masterKey: randomBytes(32) };
  service = await startTestService(options);
  onTestFinished(() => service.stop());
  await setLimits(service, hosts.a, unlimited);
});

const restart = async () => {
  const now = service.clock.now();
  await service.stop();
  service = await startTestService(options);
  service.clock.set(now);
};

/** Opens a code's page from this address. */
const openFrom = (phone: Phone, address: string, userCode: string): Promise<Answer> =>
  phone.send(pageOf(userCode), { headers: { 'x-forwarded-for': address } });

/** A code that was issued to nobody in the test. */
const wrong = '000 000';

const expectLimited = (page: Answer) => {
  expectErrorPage(page, 429);
  expect(page.headers['retry-after']).toBe('900');
  expect(page.text).not.toContain('name="confirm"');
};

/** Phones of so many more members. */
const phonesOf = async (count: number) => {
  const { id: tenantId } = tenantOf(service, hosts.a);
  const hash = await service.passwords.hash('memberdoor-development');
  const phones: Phone[] = [];
  for (let number = 1; number <= count; number += 1) {
    const email = `more${number}@example.test`;
    const member = memberOf(tenantId, email, 100 + number, service.clock.now());
    await service.store.transaction((tx) => insertMember(tx, member, hash));
    phones.push(await phoneOf(service, hosts.a, email));
  }
  return phones;
};

describe('one member', () => {
  it('U9: the 6th wrong code in 15 minutes is 429, and so is the right one until the window ends', async () => {
    const phone = await phoneOf(service, hosts.a);
    const { user_code: userCode, device_code: deviceCode } = await codesFor(service, hosts.a);
    for (let count = 0; count < 5; count += 1) expectNotValid(await phone.open(wrong));
    expectLimited(await phone.open(wrong));
    expectLimited(await phone.open(userCode));
    service.clock.advance(14 * minute);
    expectLimited(await phone.open(userCode));
    expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'authorization_pending');
    service.clock.advance(minute);
    const { user_code: next } = await codesFor(service, hosts.a);
    expect((await phone.approve(next)).headers.location).toBe('/device/approved');
  });

  it('U9: what is refused while the limit holds does not make it longer', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) await phone.open(wrong);
    for (let count = 0; count < 20; count += 1) {
      service.clock.advance(40_000);
      expectLimited(await phone.open(wrong));
    }
    service.clock.advance(15 * minute - 20 * 40_000);
    expectNotValid(await phone.open(wrong));
  });

  it('U9: from another address, or another browser, it is the same member', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) {
      expectNotValid(await openFrom(phone, `198.51.100.${count}`, wrong));
    }
    expectLimited(await openFrom(phone, '203.0.113.9', wrong));
    expectLimited(await (await phoneOf(service, hosts.a)).open(wrong));
  });

  it('U9: another member is not concerned, nor the member of the same address on another tenant', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 6; count += 1) await phone.open(wrong);
    expectNotValid(await (await phoneOf(service, hosts.a, 'u2@example.test')).open(wrong));
    expectNotValid(await (await phoneOf(service, hosts.b)).open(wrong));
  });

  it('U9: right codes are not counted', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 10; count += 1) {
      await phone.approve((await codesFor(service, hosts.a)).user_code);
    }
    expectNotValid(await phone.open(wrong));
  });

  it('U9: 50 parallel tries are no more than 5', async () => {
    const phone = await phoneOf(service, hosts.a);
    const pages = await Promise.all(Array.from({ length: 50 }, () => phone.open(wrong)));
    expect(pages.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(pages.filter(({ status }) => status === 429)).toHaveLength(45);
  });

  it('U9: a restart forgives nothing', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) expectNotValid(await phone.open(wrong));
    await restart();
    expectLimited(await (await phoneOf(service, hosts.a)).open(wrong));
    service.clock.advance(15 * minute);
    expectNotValid(await (await phoneOf(service, hosts.a)).open(wrong));
  });

  it('pages 8: the page of the limit says what to do and has a reference that is in the log', async () => {
    const phone = await phoneOf(service, hosts.a);
    for (let count = 0; count < 5; count += 1) await phone.open(wrong);
    const page = await phone.open(wrong);
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
        expectNotValid(await openFrom(phone, address(count), wrong));
        count += 1;
      }
    }
    expect(count).toBe(30);
  };

  it('decision 32: 30 wrong codes in 15 minutes are as many as one address has, whoever enters them', async () => {
    const [last, ...others] = await phonesOf(7);
    if (last === undefined) throw new Error('no phones');
    await spend(others, () => '203.0.113.7');
    const { user_code: userCode } = await codesFor(service, hosts.a);
    expectLimited(await openFrom(last, '203.0.113.7', userCode));
    expect((await openFrom(last, '203.0.113.8', userCode)).status).toBe(200);
    service.clock.advance(15 * minute);
    expectNotValid(await openFrom(last, '203.0.113.7', userCode));
  });

  it('decision 32: the /64 of an IPv6 address counts as one', async () => {
    const [last, ...others] = await phonesOf(7);
    if (last === undefined) throw new Error('no phones');
    await spend(others, (count) => `2001:db8:0:7:${(count + 1).toString(16)}::${count}`);
    expectLimited(await openFrom(last, '2001:db8::7:ffff:ffff:ffff:ffff', wrong));
    expectNotValid(await openFrom(last, '2001:db8:0:8::1', wrong));
  });

  it('decision 32: how many is settable', async () => {
    await setLimits(service, hosts.a, { ...unlimited, wrongUserCodesPerAddress: 2 });
    const phone = await phoneOf(service, hosts.a);
    expectNotValid(await openFrom(phone, '203.0.113.7', wrong));
    expectNotValid(await openFrom(phone, '203.0.113.7', wrong));
    expectLimited(await openFrom(phone, '203.0.113.7', wrong));
  });
});

describe('one tenant', () => {
  /** Wrong entries of another member, from addresses of their own. */
  const guess = async (count: number, name: string = hosts.a) => {
    const { id: tenantId } = tenantOf(service, name);
    const found = await service.store.transaction((tx) => findMemberByEmail(tx, tenantId, 'u1@example.test'));
    const memberId = found?.member.id ?? '';
    const enteredAt = service.clock.now();
    await service.store.transaction(async (tx) => {
      for (let index = 0; index < count; index += 1) {
        await insertWrongUserCode(tx, { tenantId, memberId, address: `${index}` }, enteredAt, enteredAt);
      }
    });
  };
  const warnings = () => service.logLines.filter((line) => line.includes('user codes are being guessed'));
  const pend = async (count: number) => {
    let last = '';
    for (let index = 0; index < count; index += 1) {
      ({ user_code: last } = await codesFor(service, hosts.a));
    }
    return last;
  };

  it('decision 32: from 10,000 divided by its pending codes on, each entry waits 3 s and the log says why', async () => {
    const phone = await phoneOf(service, hosts.a, 'u2@example.test');
    const userCode = await pend(20);
    await guess(499);
    expectNotValid(await phone.open(wrong));
    expect(service.pauses).toEqual([]);
    expect(warnings()).toEqual([]);

    expectNotValid(await phone.open(wrong));
    expect(service.pauses).toEqual([3_000]);
    // A right code is slowed as a wrong one is: the wait must not tell them apart.
    expect((await phone.open(userCode)).status).toBe(200);
    expect(service.pauses).toEqual([3_000, 3_000]);
    expect(warnings()).toHaveLength(2);
    expect(JSON.parse(warnings()[0] ?? '{}')).toMatchObject({ level: 40, tenant: 'Tenant A' });
    for (const line of warnings()) expect(line).not.toMatch(/000 ?000/);
  });

  it('decision 32: a slowed entry still approves', async () => {
    const phone = await phoneOf(service, hosts.a, 'u2@example.test');
    await pend(19);
    const { user_code: userCode, device_code: deviceCode } = await codesFor(service, hosts.a);
    await guess(500);
    await phone.approve(userCode);
    expect(service.pauses).toEqual([3_000]);
    await pollTokens(service, hosts.a, deviceCode);
  });

  it('decision 32: with fewer pending codes, or 15 minutes later, it is over', async () => {
    const phone = await phoneOf(service, hosts.a, 'u2@example.test');
    await pend(20);
    await guess(510);
    service.clock.advance(14 * minute);
    await codesFor(service, hosts.a);
    service.clock.advance(minute);
    // One pending code is left, and the guesses have left the window.
    await phone.open(wrong);
    expect(service.pauses).toEqual([]);
  });

  it("decision 32: one tenant's guesses slow no other", async () => {
    await pend(20);
    await guess(600, hosts.a);
    const phone = await phoneOf(service, hosts.b);
    await codesFor(service, hosts.b);
    expectNotValid(await phone.open(wrong));
    expect(service.pauses).toEqual([]);
  });

  it('decision 32: a restart forgives nothing', async () => {
    await pend(20);
    await guess(500);
    await restart();
    await (await phoneOf(service, hosts.a, 'u2@example.test')).open(wrong);
    expect(service.pauses).toEqual([3_000]);
  });
});
