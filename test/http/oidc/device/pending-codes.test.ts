import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deviceCodeLifetime } from '../../../../src/core/limits.ts';
import type { TenantLimits } from '../../../../src/core/tenant-limits.ts';
import { addressKey } from '../../../../src/http/address.ts';
import { deleteMember } from '../../../../src/operations/member/member.ts';
import {
  codesFor,
  devicePath,
  type Phone,
  phoneOf,
  pollTokens,
  setLimits,
  tenantOf,
  unlimited,
} from '../../../support/device.ts';
import { hosts, passwords } from '../../../support/fixtures.ts';
import type { Ask } from '../../../support/http.ts';
import { liveAndLeaveTraces, personal } from '../../../support/members/erased.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { allRows } from '../../../support/records/rows.ts';
import { apps, credentialsOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { field, visitor } from '../../../support/visitor.ts';

const minute = 60_000;
const { a } = hosts;
const { pendingDeviceCodes: _, ...others } = unlimited;

const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, a);
});
beforeEach(async () => {
  // Past every window and expiry, so that no test feels the one before.
  service.clock.advance(120 * minute);
  await setLimits(service, a, { ...others, pendingDeviceCodes: 100 });
});

const bodyOf = (app: typeof apps.pub1 | typeof apps.pub2) => ({
  ...credentialsOf(app),
  scope: 'openid offline_access',
});
/** The status of a TV's request at this address. */
const askAt = async (
  address: string,
  app: typeof apps.pub1 | typeof apps.pub2 = apps.pub1,
): Promise<number> => {
  const headers = { 'x-forwarded-for': address };
  return (await service.http(a, devicePath, { body: bodyOf(app), headers })).status;
};
const range = (count: number) => Array.from({ length: count }, (_unused, index) => index);
const given = (statuses: readonly number[]) => statuses.filter((status) => status === 200).length;

/** How many codes of a client wait, by network. */
async function waiting(clientId = 'pub1'): Promise<ReadonlyMap<string, number>> {
  const rows = (await allRows(service)).deviceCodes ?? [];
  const counts = new Map<string, number>();
  for (const row of rows as readonly {
    clientId: string;
    ipAddress: string;
    expiresAt: number;
    state: string;
  }[]) {
    if (row.clientId !== clientId || row.state !== 'pending' || row.expiresAt <= service.clock.now())
      continue;
    const network = addressKey(row.ipAddress);
    counts.set(network, (counts.get(network) ?? 0) + 1);
  }
  return counts;
}
const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0);
const told = async () =>
  (await auditEvents(service)).filter(({ reason }) => reason === 'too many pending device codes').length;

/** A TV at this address signs in, so that the address has a finished sign-in; its code waits no more. */
async function signInAt(address: string): Promise<void> {
  const headers = { 'x-forwarded-for': address };
  const codes = (await service.http(a, devicePath, { body: bodyOf(apps.pub1), headers })).json<{
    user_code: string;
    device_code: string;
  }>();
  await phone.approve(codes.user_code);
  await pollTokens(service, a, codes.device_code);
}

/** A browser at this address signs in. */
async function browseAt(address: string): Promise<void> {
  const browser = visitor(service, a);
  const send = (path: string, ask: Ask = {}) =>
    browser.send(path, { ...ask, headers: { 'x-forwarded-for': address } });
  const page = await send(String((await send('/device')).headers.location));
  const form = {
    flow: field(page, 'flow'),
    email: 'u1@example.test',
    password: passwords[a]['u1@example.test'],
  };
  expect((await send('/sign-in', { body: form })).headers.location).toBe('/device');
}

describe('strangers who fill the pending codes of a client', () => {
  const flooders = range(34).map((index) => `198.51.100.${index}`);
  /** Each asks as often as an address may, in a minute. */
  const flood = () =>
    Promise.all(flooders.flatMap((address) => range(30).map(() => askAt(address)))).then(given);
  const defaults: Partial<TenantLimits> = { deviceRequestsPerClientAndMinute: null };

  it('F8: 34 addresses leave room for other networks, other clients and known addresses, and the operator is told once', async () => {
    await setLimits(service, a, defaults);
    await signInAt('192.0.2.1');
    const before = await told();
    expect(await flood()).toBeLessThanOrEqual(900);
    service.clock.advance(minute);
    await flood();
    expect(sum(await waiting())).toBeGreaterThan(500);

    const newcomers = range(50).map((index) => `203.0.113.${index}`);
    expect(given(await Promise.all(newcomers.map((address) => askAt(address))))).toBe(50);
    expect(await askAt('192.0.2.1')).toBe(200);
    // Another client has codes of its own, for those who flood too.
    service.clock.advance(minute);
    expect(await askAt('198.51.100.0', apps.pub2)).toBe(200);
    expect(await told()).toBe(before + 1);
    // A window is as long as the codes stand in the way.
    service.clock.advance(deviceCodeLifetime);
    await flood();
    service.clock.advance(minute);
    await flood();
    expect(await told()).toBe(before + 2);
    // Two thousand codes and as many refusals.
  });

  it('F8: of 200 requests at once a network gets no more than its share, and below half full as many as it likes', async () => {
    await Promise.all(range(4).map((index) => askAt(`203.0.113.${index}`)));
    const statuses = await Promise.all(range(200).map(() => askAt('198.51.100.1')));
    // Up to half there is no share; four others and one more make it 100 / 6.
    expect(given(statuses)).toBe(46);
    expect((await waiting()).get('198.51.100.1')).toBe(46);
    const second = await Promise.all(range(200).map(() => askAt('198.51.100.2')));
    expect(given(second)).toBe(Math.floor(100 / 7));
  });

  it('F8: all addresses of a /64 are one network', async () => {
    const statuses = await Promise.all(range(200).map((index) => askAt(`2001:db8:1:2::${index + 1}`)));
    expect(given(statuses)).toBe(50);
    expect(await askAt('2001:db8:1:3::1')).toBe(200);
  });

  it('F8: of 200 networks at once those without a finished sign-in leave the last tenth to those with one', async () => {
    await signInAt('192.0.2.1');
    await signInAt('2001:db8:a::1');
    await browseAt('192.0.2.3');
    await browseAt('2001:db8:b:1::77');
    const statuses = await Promise.all(
      range(200).map((index) => askAt(`2001:db8:c:${index.toString(16)}::1`)),
    );
    expect(given(statuses)).toBe(90);
    expect(await askAt('203.0.113.5')).toBe(429);
    for (const address of ['192.0.2.1', '2001:db8:a::2', '192.0.2.3', '2001:db8:b:1::78']) {
      expect({ address, status: await askAt(address) }).toEqual({ address, status: 200 });
    }
    // Known is the address, not its neighbours.
    for (const address of ['192.0.2.10', '2001:db8:a:1::1', '2001:db8:b:11::77']) {
      expect({ address, status: await askAt(address) }).toEqual({ address, status: 429 });
    }
    // A share holds there too, and the limit.
    expect(given(await Promise.all(range(200).map(() => askAt('192.0.2.1'))))).toBe(0);
    expect(sum(await waiting())).toBe(94);
  });

  it('F8: from four fifths on an address without a finished sign-in gets one code at a time', async () => {
    await Promise.all(range(8).flatMap((index) => range(10).map(() => askAt(`198.51.100.${index}`))));
    expect(sum(await waiting())).toBe(80);
    const both = await Promise.all([askAt('203.0.113.1'), askAt('203.0.113.1')]);
    expect(both.toSorted()).toEqual([200, 429]);
  });

  it('F8: an address is known to its own tenant alone', async () => {
    await setLimits(service, hosts.b, { ...others, pendingDeviceCodes: 100 });
    await signInAt('192.0.2.200');
    const askB = async (address: string) =>
      (
        await service.http(hosts.b, devicePath, {
          body: bodyOf(apps.pub1),
          headers: { 'x-forwarded-for': address },
        })
      ).status;
    await Promise.all(range(90).map((index) => askB(`203.0.113.${index}`)));
    expect(await askB('192.0.2.200')).toBe(429);
  });

  it('F14: the addresses of a member who was erased are known no more', async () => {
    const memberId = await liveAndLeaveTraces(service);
    service.clock.advance(deviceCodeLifetime);
    const fill = () => Promise.all(range(100).map((index) => askAt(`2001:db8:d:${index}::1`)));
    expect(given(await fill())).toBe(90);
    expect(await Promise.all([askAt(personal.home), askAt(personal.tv)])).toEqual([200, 200]);
    const { id } = tenantOf(service, a);
    await service.store.transaction((tx) => deleteMember(tx, id, memberId, service.clock.now()));
    service.clock.advance(deviceCodeLifetime);
    expect(given(await fill())).toBe(90);
    expect(await Promise.all([askAt(personal.home), askAt(personal.tv)])).toEqual([429, 429]);
  });

  it('F8: a code that was decided on makes room, seen within a second', async () => {
    const codes = [];
    for (let index = 0; index < 50; index += 1) codes.push(await codesFor(service, a));
    expect(await askAt('127.0.0.1')).toBe(429);
    await phone.approve(codes[0]?.user_code ?? '');
    service.clock.advance(1_000);
    expect(await askAt('127.0.0.1')).toBe(200);
    expect(await askAt('127.0.0.1')).toBe(429);
  });
});
