import { describe, expect, it } from 'vitest';
import { insertDeviceCode } from '../../../src/storage/grants/device-code.ts';
import { createPollPace } from '../../../src/storage/memory/poll-pace.ts';
import { auditedStore } from '../../../src/storage/operators/audited.ts';
import { createSharedPollPace } from '../../../src/storage/shared/poll-pace.ts';
import type { Store } from '../../../src/storage/store.ts';
import { countTrips } from '../../support/proxy/round-trips.ts';
import { deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { now } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

const { id, tenantId, hash } = deviceCodeRecord();

const running = useStarted(async () => {
  const database = await countTrips(await sharedDatabase());
  const store = await openShared(database.url);
  await store.transaction(async (tx) => {
    await insertRecords(tx);
    await insertDeviceCode(tx, deviceCodeRecord());
  });
  const audited = auditedStore(
    store,
    () => now,
    () => {},
  );
  return { database, store: audited, stop: () => store.close().then(() => database.stop()) };
});

/** The pace of a process that has just started, and what it has put off. */
const newPace = () => {
  const { autocommit } = running.store;
  if (autocommit === null) throw new Error('the store is not shared');
  const later: { readonly work: () => void; readonly ms: number }[] = [];
  const pace = createSharedPollPace(autocommit, (work, ms) => {
    later.push({ work, ms });
    return () => {};
  });
  return { ...pace, later };
};

const polled = (pace: ReturnType<typeof newPace>, store: Store = running.store) =>
  store.transaction(async (tx) => (await pace.find(tx, tenantId, hash)).lastPolledAt());

describe('when codes were polled', () => {
  it('decision 51: is put off for half a second, for all polls meanwhile, and never waits for the database', async () => {
    const pace = newPace();
    await polled(pace);
    const before = running.database.trips();
    await running.store.transaction(async (tx) => {
      for (const other of ['a', 'b', 'c']) pace.record(tx, other, now);
    });
    // What begins the transaction and what commits it.
    expect(running.database.trips() - before).toBeLessThanOrEqual(2);
    expect(pace.later.map(({ ms }) => ms)).toEqual([500]);
  });

  it('goes out when half a second is over, and is put off anew by the next poll', async () => {
    const pace = newPace();
    for (const [turn, time] of [now + 1_000, now + 2_000].entries()) {
      await running.store.transaction(async (tx) => pace.record(tx, id, time));
      expect(pace.later).toHaveLength(turn + 1);
      pace.later[turn]?.work();
      // Behind what goes out by itself.
      await pace.write();
      expect(await polled(newPace())).toBe(time - 2_000);
    }
  });

  it('is told by one statement for a thousand codes', async () => {
    const pace = newPace();
    const tell = async (first: number, count: number) => {
      await running.store.transaction(async (tx) => {
        for (let index = first; index < first + count; index += 1) pace.record(tx, `many-${index}`, now);
      });
      const before = running.database.trips();
      await pace.write();
      return running.database.trips() - before;
    };
    await tell(0, 1);
    expect(await tell(0, 1_000)).toBe(1);
    // Those are told already.
    expect(await tell(0, 0)).toBe(0);
    expect(await tell(500, 1_001)).toBe(2);
    const { rows } = await running.store.transaction((tx) =>
      tx
        .selectFrom('pollTimes')
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .where('deviceCodeId', 'like', 'many-%')
        .executeTakeFirstOrThrow(),
    );
    expect(rows).toBe(1_501);
  });

  it('is what the newest poll says, whichever process is the last to tell', async () => {
    const [one, other] = [newPace(), newPace()];
    await running.store.transaction(async (tx) => one.record(tx, id, now + 60_000));
    await running.store.transaction(async (tx) => other.record(tx, id, now + 65_000));
    await other.write();
    await one.write();
    expect(await polled(other)).toBe(now + 65_000);
    // Another's counts as so much earlier as its clock may be ahead.
    expect(await polled(one)).toBe(now + 63_000);
    expect(await polled(newPace())).toBe(now + 63_000);
  });

  it('is not what a run of the same poll said that was taken back', async () => {
    const pace = newPace();
    const later = now + 120_000;
    let runs = 0;
    const found: unknown[] = [];
    await running.store.transaction(async (tx) => {
      runs += 1;
      found.push((await pace.find(tx, tenantId, hash)).lastPolledAt());
      pace.record(tx, id, later);
      await pace.write();
      if (runs === 1) throw Object.assign(new Error('another was in the way'), { code: '40001' });
    });
    expect(runs).toBe(2);
    expect(found[1]).toBe(found[0]);
    expect(await polled(pace)).toBe(later);
  });

  it('is written nowhere where one process alone has the database', async () => {
    const { autocommit, ...alone } = running.store;
    const pace = createPollPace();
    await alone.transaction(async (tx) => pace.record(tx, 'alone', now));
    await pace.write();
    const row = await alone.transaction((tx) =>
      tx.selectFrom('pollTimes').selectAll().where('deviceCodeId', '=', 'alone').executeTakeFirst(),
    );
    expect(row).toBeUndefined();
  });
});
