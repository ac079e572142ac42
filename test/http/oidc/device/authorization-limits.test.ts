import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceCode } from '../../../../src/core/grants/device-code.ts';
import { hashUserCode } from '../../../../src/core/grants/user-code.ts';
import { deviceCodeLifetime, userCodeRest } from '../../../../src/core/limits.ts';
import { tenantLimits } from '../../../../src/core/tenant-limits.ts';
import { isUserCodeFree } from '../../../../src/storage/grants/device-code.ts';
import { forgottenByTime } from '../../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../../src/storage/sweep/sweep.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import {
  askForCode,
  codesFor,
  type Phone,
  phoneOf,
  poll,
  pollTokens,
  setLimits,
  tenantOf,
  unlimited,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { heapMegabytes } from '../../../support/process/heap.ts';
import { allRows } from '../../../support/records/rows.ts';
import { apps } from '../../../support/tokens.ts';
import { serviceForTest, useService } from '../../../support/use-service.ts';

const minute = 60_000;
const hour = 60 * minute;

const service = useService({ data: 'security' });
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});
beforeEach(async () => {
  // Past every window, expiry and rest, so that no test feels the one before.
  service.clock.advance(2 * hour);
  await setLimits(service, hosts.a, {});
});

const ask = () => askForCode(service, hosts.a);
const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));
const codesStored = async () => (await allRows(service)).deviceCodes?.length ?? 0;

/** Holds an answer to that of a limiter (decision 16), and gives the seconds that it says to wait. */
const expectTooMany = (answer: Answer, most = 60): number => {
  expectJsonError(answer, 429, 'temporarily_unavailable');
  const wait = Number(answer.headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(most);
  return wait;
};

describe('requests', () => {
  it('D19: of a flood from one address 30 a minute get codes, the others 429 with Retry-After', async () => {
    const before = await codesStored();
    const flood = await times(400, ask);
    expect(flood.filter(({ status }) => status === 200)).toHaveLength(30);
    for (const answer of flood.filter(({ status }) => status !== 200)) expectTooMany(answer);
    expect((await codesStored()) - before).toBeLessThanOrEqual(30);
  });

  it('D19: a flood takes no memory', async () => {
    await times(100, ask);
    const before = heapMegabytes();
    for (let round = 0; round < 8; round += 1) await times(100, ask);
    expect(heapMegabytes() - before).toBeLessThan(2);
  });

  it('D19: after the time of Retry-After the address is served again', async () => {
    await times(30, ask);
    const wait = expectTooMany(await ask());
    service.clock.advance(wait * 1_000);
    expect((await ask()).status).toBe(200);
  });

  it('D19: an address gets 600 codes an hour at most', async () => {
    await setLimits(service, hosts.a, { pendingDeviceCodes: 10_000 });
    for (let minutes = 0; minutes < 20; minutes += 1) {
      const answers = await times(30, ask);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      service.clock.advance(minute);
    }
    expect(expectTooMany(await ask(), 3_600)).toBeGreaterThan(60);
    service.clock.advance(40 * minute);
    expect((await ask()).status).toBe(200);
  });

  it("D19: a flood on one tenant takes nothing from another's devices", async () => {
    const flood = times(500, ask);
    const others = await times(10, () => askForCode(service, hosts.b));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
    await flood;
  });

  it('D19: a client gets so many codes a minute as the tenant allows, another one its own', async () => {
    await setLimits(service, hosts.a, { deviceRequestsPerClientAndMinute: 3 });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expectTooMany(await ask());
    await codesFor(service, hosts.a, apps.pub2);
    service.clock.advance(minute);
    expect((await ask()).status).toBe(200);
  });

  it('D19: requests that cannot say which client they are from cost the client nothing', async () => {
    await setLimits(service, hosts.a, { deviceRequestsPerClientAndMinute: 1 });
    for (const secret of ['wrong', 'wrong too']) {
      const answer = await askForCode(service, hosts.a, { clientId: 'conf1', secret });
      expectJsonError(answer, 401, 'invalid_client');
    }
    expect((await askForCode(service, hosts.a, apps.conf1)).status).toBe(200);
  });

  it('security, Defaults: what holds where a tenant sets nothing', () => {
    expect(tenantLimits).toMatchObject({
      pendingDeviceCodes: 1_000,
      deviceRequestsPerAddressAndMinute: 30,
      deviceRequestsPerAddressAndHour: 600,
      deviceRequestsPerClientAndMinute: 1_000,
      wrongUserCodesPerAddress: 30,
    });
  });
});

describe('pending codes', () => {
  const { pendingDeviceCodes: _, ...others } = unlimited;

  it('decision 32, F8: a client has 1,000 pending codes at most, and one network half of them', async () => {
    await setLimits(service, hosts.a, others);
    const answers = await times(1_010, ask);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(500);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectTooMany(answer);
    service.clock.advance(deviceCodeLifetime);
    expect((await ask()).status).toBe(200);
  });

  it('decision 32: how many is settable for each client, and a code that was decided on makes room', async () => {
    await setLimits(service, hosts.a, { ...others, pendingDeviceCodes: 2 });
    const [first, second] = [await codesFor(service, hosts.a), await codesFor(service, hosts.a, apps.pub2)];
    expectTooMany(await ask());
    await phone.approve(first.user_code);
    // Who holds the codes is looked up again a second after a refusal.
    service.clock.advance(1_000);
    const third = await codesFor(service, hosts.a);
    expectTooMany(await ask());
    expectTooMany(await askForCode(service, hosts.a, apps.pub2));
    await phone.reject(second.user_code);
    service.clock.advance(1_000);
    await codesFor(service, hosts.a, apps.pub2);
    expectTooMany(await ask());
    expect((await pollTokens(service, hosts.a, first.device_code)).token_type).toBe('Bearer');
    expectJsonError(await poll(service, hosts.a, third.device_code), 400, 'authorization_pending');
  });

  it('decision 22: unused codes are swept after they expire, and pending codes are not', async () => {
    await setLimits(service, hosts.a, unlimited);
    await times(200, ask);
    service.clock.advance(deviceCodeLifetime + userCodeRest);
    await ask();
    const { id } = tenantOf(service, hosts.a);
    for (const sweep of forgottenByTime([id], service.clock.now())) {
      await sweepThrough(service.store, sweep);
    }
    const codes = ((await allRows(service)).deviceCodes ?? []) as readonly DeviceCode[];
    expect(codes.filter(({ tenantId, state }) => tenantId === id && state !== 'used')).toHaveLength(1);
  });
});

describe('user codes', () => {
  const digitsOf = (answers: readonly Answer[]) =>
    answers.map((answer) => String(answer.json().user_code).replace(' ', ''));

  /** Pearson's chi-square of the digits against all being equally likely: 9 degrees of freedom a place. */
  const chiSquare = (codes: readonly string[]) => {
    let sum = 0;
    for (let place = 0; place < 6; place += 1) {
      const expected = codes.length / 10;
      for (const digit of '0123456789') {
        const seen = codes.filter((code) => code[place] === digit).length;
        sum += (seen - expected) ** 2 / expected;
      }
    }
    return sum;
  };
  // 54 degrees of freedom: larger in one run of ten million.
  const unlikely = 125;

  it('D20: of 2,000 pending user codes no two are equal, and every digit is as likely as any', async () => {
    await setLimits(service, hosts.a, unlimited);
    const codes = digitsOf(await times(2_000, ask));
    expect(new Set(codes).size).toBe(2_000);
    for (const code of codes) expect(code).toMatch(/^\d{6}$/);
    expect(chiSquare(codes)).toBeLessThan(unlikely);
    expect(codes.some((code) => code.startsWith('0'))).toBe(true);
    expect(codes.some((code) => code.startsWith('00'))).toBe(true);
  });

  it('D20: codes that begin with three zeros are drawn like any others', () => {
    const codes = Array.from({ length: 50_000 }, systemRandom.digits);
    expect(chiSquare(codes)).toBeLessThan(unlikely);
    const zeros = codes.filter((code) => code.startsWith('000')).length;
    // 50 expected; 7 standard deviations around them.
    expect(zeros).toBeGreaterThan(5);
    expect(zeros).toBeLessThan(100);
  });

  it('D20: two runs of the service give different codes', async () => {
    const other = await serviceForTest({ data: 'security' });
    const [here, there] = await Promise.all([times(10, ask), times(10, () => askForCode(other, hosts.a))]);
    expect(digitsOf(here)).not.toEqual(digitsOf(there));
  });

  it('decision 31: a user code is not given out again until 15 minutes after its end', async () => {
    const tenant = tenantOf(service, hosts.a);
    const isFree = (userCode: string, now: number) =>
      service.store.transaction((tx) =>
        isUserCodeFree(tx, tenant.id, hashUserCode(tenant.tokenKey, userCode.replace(' ', '')), now),
      );
    const [open, denied, late] = [
      await codesFor(service, hosts.a),
      await codesFor(service, hosts.a),
      await codesFor(service, hosts.a),
    ];
    await phone.reject(denied.user_code);
    await phone.approve(late.user_code);
    const issuedAt = service.clock.now();
    service.clock.set(issuedAt + 2 * deviceCodeLifetime - minute);
    await pollTokens(service, hosts.a, late.device_code);

    // The pending one ended by its expiry, the denied one at once, the approved one when it was used.
    expect(await isFree(open.user_code, issuedAt + 2 * deviceCodeLifetime - minute)).toBe(false);
    expect(await isFree(denied.user_code, issuedAt + 15 * minute - 1_000)).toBe(false);
    expect(await isFree(late.user_code, issuedAt + 3 * deviceCodeLifetime - 2 * minute)).toBe(false);
    for (const { user_code: userCode } of [open, denied, late]) {
      expect(await isFree(userCode, issuedAt + deviceCodeLifetime + userCodeRest)).toBe(true);
    }
  });

  it('decision 31: the same digits on two tenants are stored as different things', () => {
    const [a, b] = [tenantOf(service, hosts.a), tenantOf(service, hosts.b)];
    expect(hashUserCode(a.tokenKey, '123456')).not.toBe(hashUserCode(b.tokenKey, '123456'));
  });
});
