import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { choreLook, lease } from '../../../src/core/operators/store-limits.ts';
import type { Chore } from '../../../src/operations/upkeep/chore.ts';
import { choresOf } from '../../../src/operations/upkeep/chores.ts';
import { onceAmongAll } from '../../../src/operations/upkeep/once.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { Pace } from '../../../src/storage/sweep/sweep.ts';
import type { Schedule } from '../../../src/system/clock.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { testClock } from '../../support/clock.ts';
import { hour } from '../../support/records/records.ts';
import { newStore } from '../../support/records/store.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';

let stores: readonly Store[];
beforeAll(async () => {
  const url = await sharedDatabase();
  stores = [await openShared(url), await openShared(url)];
});
afterAll(() => Promise.all(stores.map((store) => store.close())));
beforeEach(() => stores[0]?.transaction((tx) => tx.deleteFrom('leases').execute()));

const unhurried: Pace = { pause: async () => {}, isOver: () => false };
const day = 24 * hour;

/** Two processes with one clock, which do a chore when they look for it. */
function twoProcesses(every = hour) {
  const clock = testClock();
  const begin = clock.now();
  const done: string[] = [];
  const processOf = (holder: string, run: Chore['run'] = async () => void done.push(holder)) => {
    const planned = new Set<() => void>();
    const schedule: Schedule = (work) => {
      planned.add(work);
      return () => planned.delete(work);
    };
    const store = stores[holder === 'one' ? 0 : 1] as Store;
    const chore = onceAmongAll({ name: 'chore', every, run }, { store, clock: clock.now, schedule, holder });
    return {
      look: (pace: Pace = unhurried) => chore.run(pace),
      every: chore.every,
      planned,
      /** What would hold the chore on, were the process alive. */
      renew: async () => {
        const [work] = planned;
        planned.clear();
        work?.();
        while (planned.size === 0) await store.transaction(async () => {});
      },
    };
  };
  return { at: (ms: number) => clock.set(begin + ms), clock, done, processOf };
}

/** A chore that lasts until the test ends it. */
function lasting() {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let pace: Pace = unhurried;
  const run: Chore['run'] = async (given) => {
    pace = given;
    begun.resolve();
    await end.promise;
  };
  return { run, begun: begun.promise, end: end.resolve, isOver: () => pace.isOver() };
}

describe('a chore of several processes', () => {
  it('is done by one of two that look at the same time, and again when its time comes', async () => {
    const { at, done, processOf } = twoProcesses();
    const [one, other] = [processOf('one'), processOf('other')];
    const both = () => Promise.all([one.look(), other.look()]);
    await both();
    expect(done).toHaveLength(1);
    at(hour - 100);
    await both();
    expect(done).toHaveLength(1);
    at(hour + 100);
    await both();
    expect(done).toHaveLength(2);
  });

  it('is looked for more often than it is done, so that no process waits long for one that died', () => {
    const { processOf } = twoProcesses(day);
    expect(processOf('one').every).toBe(choreLook);
  });

  it('is done by another when the process that did it has died, after its lease and not before', async () => {
    const { at, done, processOf } = twoProcesses(day);
    const { run, begun } = lasting();
    void processOf('one', run).look();
    await begun;
    const other = processOf('other');
    at(lease.time - 100);
    await other.look();
    expect(done).toEqual([]);
    at(lease.time + 100);
    await other.look();
    expect(done).toEqual(['other']);
  });

  it('is left to the process that does it, however long it lasts', async () => {
    const { at, done, processOf } = twoProcesses(day);
    const { run, begun, end, isOver } = lasting();
    const one = processOf('one', run);
    const looked = one.look();
    await begun;
    for (let renewals = 1; renewals <= 5; renewals += 1) {
      at(renewals * lease.renewal);
      await one.renew();
      await processOf('other').look();
    }
    expect(isOver()).toBe(false);
    end();
    await looked;
    expect(one.planned.size).toBe(0);
    at(day - hour);
    await processOf('other').look();
    expect(done).toEqual([]);
  });

  it('is broken off by a process that slept while another took it over, and stays the other’s', async () => {
    const { at, done, processOf } = twoProcesses(day);
    const { run, begun, end, isOver } = lasting();
    const looked = processOf('one', run).look();
    await begun;
    at(lease.time + 100);
    await processOf('other').look();
    expect(isOver()).toBe(true);
    end();
    await looked;
    await processOf('other').look();
    expect(done).toEqual(['other']);
  });

  it('is done by another at once where the service stops in the middle of it', async () => {
    const { done, processOf } = twoProcesses();
    await processOf('one', async () => {}).look({ ...unhurried, isOver: () => true });
    await processOf('other').look();
    expect(done).toEqual(['other']);
  });

  it('that failed is done again when its time comes', async () => {
    const { at, done, processOf } = twoProcesses();
    const failing = processOf('one', () => Promise.reject(new Error('no disk')));
    await expect(failing.look()).rejects.toThrow('no disk');
    await processOf('other').look();
    expect(done).toEqual([]);
    at(hour + 100);
    await processOf('other').look();
    expect(done).toEqual(['other']);
  });

  it('Z18: is not kept from being done by a process whose clock was a year ahead', async () => {
    const { at, done, processOf } = twoProcesses();
    at(365 * day);
    await processOf('one').look();
    at(0);
    await processOf('other').look();
    expect(done).toEqual(['one', 'other']);
  });
});

describe('the chores of the service', () => {
  const namesOn = (store: Store) =>
    choresOf({
      config: { auditRetention: day, auditRefreshRetention: day, dataFolder: '' },
      store,
      vault: undefined as never,
      tenants: undefined as never,
      payments: [],
      outbox: null,
      clock: testClock().now,
      schedule: () => () => {},
      random: systemRandom,
      tell: () => {},
    }).map(({ name }) => name);

  it('are the same on both engines, but only SQLite has a file to overwrite', async () => {
    const onSqlite = namesOn(await newStore());
    const onPostgres = namesOn(stores[0] as Store);
    expect(onSqlite.filter((name) => !onPostgres.includes(name))).toEqual([
      'overwrite what erased members left in the file and its log',
    ]);
    expect(onPostgres.filter((name) => !onSqlite.includes(name))).toEqual([]);
  });
});
