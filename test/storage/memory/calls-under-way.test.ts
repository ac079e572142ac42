import { describe, expect, it } from 'vitest';
import { createCallsUnderWay } from '../../../src/storage/memory/calls-under-way.ts';
import { createSharedRateLimiter } from '../../../src/storage/shared/counters.ts';
import { twoStores } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

const shared = useStarted(twoStores);

/** Two processes of one database, which have one time. */
const processes = () => {
  const time = { now: 0 };
  const [one, other] = shared.autocommits.map((autocommit) =>
    createCallsUnderWay(createSharedRateLimiter(autocommit, () => time.now)),
  );
  if (one === undefined || other === undefined) throw new Error('there are not two');
  return { time, one, other };
};

describe('a call with a key that is under way', () => {
  it('does not begin again until it ends, at no process', async () => {
    const { time, one, other } = processes();
    expect(await one.begin('a')).toBe(true);
    expect([await one.begin('a'), await other.begin('a'), await other.begin('b')]).toEqual([
      false,
      false,
      true,
    ]);
    await one.end('a');
    expect(await one.begin('a')).toBe(true);
    await one.end('a');
    // That it was under way elsewhere is known for a second.
    time.now += 1_001;
    expect(await other.begin('a')).toBe(true);
  });

  it('may begin at another process a minute after its own died', async () => {
    const { time, one, other } = processes();
    expect(await one.begin('c')).toBe(true);
    time.now += 60_001;
    expect(await other.begin('c')).toBe(true);
  });

  it('is known without counting where there is one process', async () => {
    const alone = createCallsUnderWay(null);
    expect([await alone.begin('a'), await alone.begin('a')]).toEqual([true, false]);
    await alone.end('a');
    expect(await alone.begin('a')).toBe(true);
  });
});
