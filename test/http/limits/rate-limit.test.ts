import { describe, expect, it } from 'vitest';
import { type Counters, createRateLimiter } from '../../../src/storage/memory/rate-limit.ts';
import { createSharedRateLimiter } from '../../../src/storage/shared/counters.ts';
import { heapMegabytes } from '../../support/process/heap.ts';
import { twoStores } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

const minute = 60_000;

/** A limiter and a time that stands still until it is set. */
const limiterAt = (start: number, most?: number) => {
  const time = { now: start };
  return { time, limiter: createRateLimiter(() => time.now, most) };
};

/** Takes so often that the limit is reached. */
const spend = (limiter: Counters, key: string, limit: number, window = minute) =>
  Promise.all(Array.from({ length: limit }, () => limiter.take(key, limit, window)));

const shared = useStarted(twoStores);
let limiters = 0;

/** The same in a database, with keys of its own. */
const sharedLimiterAt = (start: number) => {
  const time = { now: start };
  const counters = createSharedRateLimiter(shared.autocommits[0], () => time.now);
  const own = ++limiters;
  const limiter: Counters = {
    look: (key, ...rest) => counters.look(`${own} ${key}`, ...rest),
    take: (key, ...rest) => counters.take(`${own} ${key}`, ...rest),
    tally: (key, ...rest) => counters.tally(`${own} ${key}`, ...rest),
    giveBack: (key, ...rest) => counters.giveBack(`${own} ${key}`, ...rest),
  };
  return { time, limiter };
};

describe.each([
  ['in memory', limiterAt],
  ['in a database', sharedLimiterAt],
])('a limit %s', (_where, limiterAt) => {
  it('as many as the limit are allowed in a window, the next is not', async () => {
    const { limiter } = limiterAt(0);
    expect(await spend(limiter, 'a', 3)).toEqual([null, null, null]);
    expect(await limiter.take('a', 3, minute)).toBe(60);
  });

  it('what it answers is the whole seconds until the window ends, never 0', async () => {
    const { limiter, time } = limiterAt(1_000);
    await spend(limiter, 'a', 1);
    for (const [now, wait] of [
      [1_000, 60],
      [1_001, 60],
      [31_000, 30],
      [60_000, 1],
      [60_999, 1],
    ] as const) {
      time.now = now;
      expect(await limiter.take('a', 1, minute)).toBe(wait);
    }
  });

  it('at the very end of the window a new one begins', async () => {
    const { limiter, time } = limiterAt(1_000);
    await spend(limiter, 'a', 2);
    time.now = 61_000;
    expect(await spend(limiter, 'a', 2)).toEqual([null, null]);
    expect(await limiter.take('a', 2, minute)).toBe(60);
  });

  it('what is refused does not make the window longer', async () => {
    const { limiter, time } = limiterAt(0);
    await spend(limiter, 'a', 1);
    for (time.now = 1_000; time.now < minute; time.now += 1_000) {
      expect(await limiter.take('a', 1, minute)).toBe((minute - time.now) / 1_000);
    }
    expect(await limiter.take('a', 1, minute)).toBeNull();
  });

  it('two keys, and two windows of one key, are counted apart', async () => {
    const { limiter } = limiterAt(0);
    await spend(limiter, 'a', 1);
    expect(await limiter.take('b', 1, minute)).toBeNull();
    expect(await limiter.take('a', 1, 60 * minute)).toBeNull();
    expect(await limiter.take('a', 1, 60 * minute)).toBe(3_600);
  });

  it('a limit of 0 allows nothing, no limit allows everything and counts nothing', async () => {
    const { limiter } = limiterAt(0);
    expect(await limiter.take('a', 0, minute)).toBe(60);
    for (let count = 0; count < 1_000; count += 1) expect(await limiter.take('b', null, minute)).toBeNull();
    expect(await limiter.take('b', 1, minute)).toBeNull();
  });

  it('Z18: a clock that is set back or forward locks no client out for longer than a window', async () => {
    const { limiter, time } = limiterAt(10 * 60 * minute);
    await spend(limiter, 'a', 1);
    time.now -= 60 * minute;
    expect(await limiter.take('a', 1, minute)).toBeNull();
    expect(await limiter.take('a', 1, minute)).toBe(60);
    time.now += 24 * 60 * minute;
    expect(await limiter.take('a', 1, minute)).toBeNull();
  });
});

describe('memory', () => {
  it('of more keys than it may count the one that began longest ago is dropped', async () => {
    const { limiter } = limiterAt(0, 3);
    for (const key of ['a', 'b', 'c']) await spend(limiter, key, 1);
    expect(limiter.take('a', 1, minute)).toBe(60);
    await spend(limiter, 'd', 1);
    for (const key of ['b', 'c', 'd']) expect(limiter.take(key, 1, minute)).toBe(60);
    expect(limiter.take('a', 1, minute)).toBeNull();
  });

  it.each(['shared', 'members'] as const)(
    'what is counted as %s is not dropped for addresses',
    async (kind) => {
      const { limiter } = limiterAt(0, 3);
      expect(await spend(limiter[kind], 'one', 2)).toEqual([null, null]);
      for (const key of ['a', 'b', 'c', 'd']) await spend(limiter, key, 1);
      expect(limiter[kind].take('one', 2, minute)).toBe(60);
      expect(limiter.take('one', 1, minute)).toBeNull();
    },
  );

  it('addresses without end take no more memory than the keys it may count', () => {
    const { limiter } = limiterAt(0, 1_000);
    const before = heapMegabytes();
    for (let count = 0; count < 300_000; count += 1) limiter.take(`address ${count}`, 1, minute);
    expect(heapMegabytes() - before).toBeLessThan(1);
    expect(limiter.look('address 299999', 1, minute)).toBe(60);
  });

  it('windows that are over take none, long before there are too many keys', () => {
    const { limiter, time } = limiterAt(0, Number.POSITIVE_INFINITY);
    const before = heapMegabytes();
    for (let count = 0; count < 300_000; count += 1) {
      time.now += minute / 100;
      limiter.take(`address ${count}`, 1, minute);
    }
    expect(heapMegabytes() - before).toBeLessThan(1);
    expect(limiter.look('address 299999', 1, minute)).toBe(60);
  });
});
