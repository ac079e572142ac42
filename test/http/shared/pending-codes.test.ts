import { beforeEach, describe, expect, it } from 'vitest';
import { codesFor, devicePath, setLimits, unlimited } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { apps, credentialsOf } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';

const { a } = hosts;
const { pendingDeviceCodes: _, ...others } = unlimited;

/** Two processes of one service. */
const pair = useStarted(async () => {
  const options = {
    data: 'security',
    database: await sharedDatabase(),
    trustedProxies: ['127.0.0.1'],
  } as const;
  const one = await startTestService(options);
  const other = await startTestService(options);
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

/** Lets each client have so many, and none is pending. */
async function allow(pendingDeviceCodes: number): Promise<void> {
  const { one, other } = pair;
  one.clock.advance(120 * 60_000);
  other.clock.set(one.clock.now());
  await setLimits(one, a, { ...others, pendingDeviceCodes });
  await other.store.transaction(other.tenants.reload);
}

const askAt = async ({ http }: TestService, address: string): Promise<number> => {
  const body = { ...credentialsOf(apps.pub1), scope: 'openid offline_access' };
  return (await http(a, devicePath, { body, headers: { 'x-forwarded-for': address } })).status;
};

/** Asks for so many at once, every other one at the other process. @returns how often each status was answered */
async function askAtOnce(count: number, addressOf: (index: number) => string) {
  const counts: Record<number, number> = {};
  const asked = Array.from({ length: count }, async (_unused, index) => {
    const status = await askAt(index % 2 === 0 ? pair.one : pair.other, addressOf(index));
    counts[status] = (counts[status] ?? 0) + 1;
  });
  await Promise.all(asked);
  return counts;
}

describe('pending codes of a client, asked for at two processes at once', () => {
  beforeEach(() => allow(100));

  it('F8: of 200 requests a network gets no more than its share, as from one process', async () => {
    for (let index = 0; index < 4; index += 1) await askAt(pair.one, `203.0.113.${index}`);
    expect(await askAtOnce(200, () => '198.51.100.1')).toEqual({ 200: 46, 429: 154 });
    expect(await askAtOnce(200, () => '198.51.100.2')).toEqual({ 200: 14, 429: 186 });
  });

  it('F8: 200 networks leave the last tenth to addresses with a finished sign-in', async () => {
    expect(await askAtOnce(200, (index) => `2001:db8:c:${index.toString(16)}::1`)).toEqual({
      200: 90,
      429: 110,
    });
  });

  it('F8: where one may be pending, one of 20 is issued', async () => {
    await allow(1);
    expect(await askAtOnce(20, (index) => `192.0.2.${index}`)).toEqual({ 200: 1, 429: 19 });
  });

  it('F8: what one process has issued the other counts within a second', async () => {
    const { one, other } = pair;
    await codesFor(other, a);
    for (let index = 0; index < 49; index += 1) expect(await askAt(one, '127.0.0.1')).toBe(200);
    one.clock.advance(1_000);
    other.clock.set(one.clock.now());
    expect(await askAt(other, '127.0.0.1')).toBe(429);
  });
});
