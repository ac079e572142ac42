import { beforeEach, describe, expect, it } from 'vitest';
import { codesFor, poll } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';

const second = 1_000;

/** Two processes of one service. Neither tells the other of polls until the test says so. */
const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const one = await startTestService({ data: 'security', database });
  const other = await startTestService({ data: 'security', database });
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

let start: number;
let deviceCode: string;
beforeEach(async () => {
  start = pair.one.clock.now();
  ({ device_code: deviceCode } = await codesFor(pair.one, hosts.a));
});

/** Polls a process when its clock shows so many ms after the start, and lets the other know. @returns the error */
async function pollAt(service: TestService, ms: number, clockIsAhead = 0): Promise<unknown> {
  service.clock.set(start + ms + clockIsAhead);
  const { error } = (await poll(service, hosts.a, deviceCode)).json();
  await service.deps.pollPace.write();
  return error;
}

describe('a device that polls two processes', () => {
  it('decision 20: at its interval is told to go on by each', async () => {
    const { one, other } = pair;
    const errors: unknown[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      errors.push(await pollAt(turn % 2 === 0 ? one : other, turn * 5 * second));
    }
    expect(new Set(errors)).toEqual(new Set(['authorization_pending']));
  });

  it('decision 20: too early is told to slow down by each', async () => {
    const { one, other } = pair;
    expect(await pollAt(one, 0)).toBe('authorization_pending');
    expect(await pollAt(other, second)).toBe('slow_down');
    expect(await pollAt(one, 2 * second)).toBe('slow_down');
    // The interval is 15 s now, for both.
    expect(await pollAt(other, 13 * second)).toBe('slow_down');
  });

  it('decision 20: at its interval is slowed by neither, though their clocks differ by 2 s', async () => {
    const { one, other } = pair;
    const errors: unknown[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const isAhead = turn % 2 === 0;
      errors.push(
        await pollAt(isAhead ? one : other, turn * 5 * second - 900 * (turn % 2), isAhead ? 2_000 : 0),
      );
    }
    expect(new Set(errors)).toEqual(new Set(['authorization_pending']));
  });

  it('decision 20: is early at the one that it polled, whatever the other knows', async () => {
    const { one } = pair;
    one.clock.set(start);
    await poll(one, hosts.a, deviceCode);
    one.clock.set(start + 3_900);
    expect((await poll(one, hosts.a, deviceCode)).json().error).toBe('slow_down');
  });

  it('decision 20: a process that has just started knows when it was polled', async () => {
    expect(await pollAt(pair.one, 0)).toBe('authorization_pending');
    await pair.other.restart();
    expect(await pollAt(pair.other, second)).toBe('slow_down');
  });
});
