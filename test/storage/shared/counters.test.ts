import { describe, expect, it } from 'vitest';
import { takeIn } from '../../../src/storage/memory/rate-limit.ts';
import { auditedStore } from '../../../src/storage/operators/audited.ts';
import { createSharedRateLimiter } from '../../../src/storage/shared/counters.ts';
import { twoStores } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

const minute = 60_000;
const time = { now: 1_000 * minute };

const stores = useStarted(twoStores);

/** The limiters of two processes on one database. */
const pair = () => {
  const [first, second] = stores.autocommits;
  const clock = () => time.now;
  return [createSharedRateLimiter(first, clock), createSharedRateLimiter(second, clock)] as const;
};

describe('what two processes count', () => {
  it('F1: 200 at once over both are allowed as often as 200 in turn', async () => {
    const both = pair();
    const waits = await Promise.all(
      Array.from({ length: 200 }, (_, index) => both[index % 2 === 0 ? 0 : 1].take('flood', 30, minute)),
    );
    expect(waits.filter((wait) => wait === null)).toHaveLength(30);
    expect(new Set(waits.filter((wait) => wait !== null))).toEqual(new Set([60]));
  });

  it('decision 51: a limit that is reached at one is reached at the other at once', async () => {
    const [first, second] = pair();
    expect(await second.look('a', 2, minute)).toBeNull();
    for (const _ of [1, 2]) expect(await first.take('a', 2, minute)).toBeNull();
    expect(await second.look('a', 2, minute)).toBe(60);
    expect(await second.take('a', 2, minute)).toBe(60);
  });

  it('what one gives back the other may take, a second after it was refused at the latest', async () => {
    const [first, second] = pair();
    await first.take('b', 1, minute);
    expect(await second.take('b', 1, minute)).toBe(60);
    await first.giveBack('b', minute);
    // Who goes on beyond a limit is not asked for each time.
    expect(await second.take('b', 1, minute)).toBe(60);
    time.now += 1_000;
    expect(await second.take('b', 1, minute)).toBeNull();
    expect(await first.take('b', 1, minute)).toBe(59);
  });

  it('more than was counted is not given back, nor what was counted in a window that is over', async () => {
    const [first] = pair();
    await first.giveBack('c', minute);
    await first.take('c', 1, minute);
    await first.giveBack('c', minute);
    await first.giveBack('c', minute);
    expect(await first.take('c', 1, minute)).toBeNull();
    expect(await first.look('c', 1, minute)).toBe(60);
    time.now += minute;
    await first.giveBack('c', minute);
    expect(await first.take('c', 1, minute)).toBeNull();
    expect(await first.take('c', 1, minute)).toBe(60);
  });

  it('Z18: clocks that differ by 2 s begin no window anew, and make none longer than it is', async () => {
    const [first, second] = pair();
    expect(await first.take('d', 2, minute)).toBeNull();
    time.now -= 2_000;
    expect(await second.take('d', 2, minute)).toBeNull();
    expect(await second.take('d', 2, minute)).toBe(60);
    time.now += 2_000;
    expect(await first.take('d', 2, minute)).toBe(60);
    time.now += minute;
    expect(await first.take('d', 2, minute)).toBeNull();
  });

  it('a limit that an operator raises holds at once', async () => {
    const [first] = pair();
    await first.take('e', 1, minute);
    expect(await first.take('e', 1, minute)).toBe(60);
    expect(await first.take('e', 2, minute)).toBeNull();
  });
});

describe('what is counted in a transaction', () => {
  it('F1: stays counted if that is taken back', async () => {
    const [first] = pair();
    const failing = stores.one.transaction(async (tx) => {
      await takeIn(tx, first, 'f', 1, minute);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await first.take('f', 1, minute)).toBe(60);
  });

  it('is counted once if that runs again', async () => {
    const [first, second] = pair();
    const store = auditedStore(
      stores.one,
      () => time.now,
      () => {},
    );
    let runs = 0;
    const wait = await store.transaction(async (tx) => {
      runs += 1;
      const taken = await takeIn(tx, first, 'g', 2, minute);
      if (runs < 3) throw Object.assign(new Error('another was in the way'), { code: '40001' });
      return taken;
    });
    expect({ runs, wait }).toEqual({ runs: 3, wait: null });
    expect(await second.take('g', 2, minute)).toBeNull();
    expect(await second.take('g', 2, minute)).toBe(60);
  });

  it('is given back if the run that is committed does not count it', async () => {
    const [first, second] = pair();
    const store = auditedStore(
      stores.one,
      () => time.now,
      () => {},
    );
    let runs = 0;
    await store.transaction(async (tx) => {
      runs += 1;
      if (runs > 1) return;
      await takeIn(tx, first, 'h', 1, minute);
      throw Object.assign(new Error('another was in the way'), { code: '40001' });
    });
    expect(await second.take('h', 1, minute)).toBeNull();
  });
});
