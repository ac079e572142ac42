import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { ToldEvent } from '../../../src/core/events/event.ts';
import { createNumbering } from '../../../src/operations/events/numbering.ts';
import { listEvents, tell } from '../../../src/storage/events/event.ts';
import { auditedStore } from '../../../src/storage/operators/audited.ts';
import type { Store } from '../../../src/storage/store.ts';
import { systemSchedule } from '../../../src/system/clock.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { now } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';
import { twoStores } from '../../support/run/test-store.ts';

/** One process of a service: it numbers what it and the other have written. */
function processOn(store: Store) {
  const log = () => ({ warn: () => {} });
  const deps = { store, random: systemRandom, schedule: systemSchedule, log, numbered: () => {} };
  const numbering = createNumbering(deps);
  return {
    numbering,
    store: auditedStore(
      store,
      () => now,
      () => {},
      numbering.wake,
    ),
  };
}

it('decision 49: processes that commit in any order give numbers without a gap, and a reader misses none', async () => {
  const { one, other, stop } = await twoStores();
  await one.transaction(insertRecords);
  const processes = [processOn(one), processOn(other)];
  onTestFinished(async () => {
    for (const { numbering } of processes) await numbering.stop();
    await stop();
  });
  const members = 8;
  const changes = 50;
  const work = Array.from({ length: members }, async (_, each) => {
    const { store } = processes[each % 2] as (typeof processes)[number];
    for (let change = 0; change < changes; change += 1) {
      // What is written early may be committed late.
      await store.transaction(async (tx) => {
        const of = { tenantId: 'tenant-a', memberId: `member-${each}` };
        await tell(tx, { write: 'changePassword', of, isRemoved: change % 2 === 0 });
        await wait((each * 7 + change * 3) % 5);
      });
    }
  });
  let isOver = false;
  const read: ToldEvent[] = [];
  const reading = async () => {
    for (let isLast = false; ; isLast = isOver) {
      const behind = read.at(-1)?.number ?? 0;
      const events = await other.lookUp((tx) => listEvents(tx, 'tenant-a', behind, 100));
      read.push(...events);
      if (isLast && events.length === 0) return;
      await wait(1);
    }
  };
  const finishing = async () => {
    await Promise.all(work);
    await Promise.all(processes.map(({ numbering }) => numbering.run()));
    isOver = true;
  };
  await Promise.all([reading(), finishing()]);
  expect(read.map(({ number }) => number)).toEqual(
    Array.from({ length: members * changes }, (_, n) => n + 1),
  );
  for (let each = 0; each < members; each += 1) {
    const own = read.filter(({ memberId }) => memberId === `member-${each}`);
    expect(own.map(({ type }) => type === 'member.password_removed')).toEqual(
      own.map((_, change) => change % 2 === 0),
    );
  }
});
