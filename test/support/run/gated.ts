// Stores of PostgreSQL that a test can cut off from their database.
import { onTestFinished } from 'vitest';
import { insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { handSchedule } from '../hand-schedule.ts';
import { openGate } from '../proxy/gate.ts';
import { signInRecord } from '../records/records.ts';
import { insertRecords } from '../records/store.ts';
import { ample, openShared, sharedDatabase } from './test-store.ts';

export const may = { initialise: true, migrate: true };

/** A store that reaches its database through a gate, and one that reaches it by itself. */
export async function gated(
  times: Partial<typeof ample> = {},
  isCut?: (said: Buffer) => boolean,
  now?: () => number,
) {
  const url = await sharedDatabase();
  const gate = await openGate(Number(new URL(url).port), isCut);
  const through = url.replace(/:\d+\//, `:${gate.port}/`);
  const { schedule, comes } = handSchedule();
  const silent = Promise.withResolvers<void>();
  const store = await openPostgres(through, may, {
    schedule,
    times: { ...ample, ...times },
    ...(now === undefined ? {} : { now }),
  });
  const direct = await openShared(url);
  onTestFinished(async () => {
    gate.open();
    await store.close();
    await direct.close();
    await gate.close();
  });
  await direct.transaction(async (tx) => {
    await insertRecords(tx);
    await insertSignIn(tx, signInRecord());
  });
  return {
    store,
    direct,
    hold: () => {
      gate.hold();
      silent.resolve();
    },
    open: gate.open,
    /** Waits until the database says nothing and something waits for it, and lets its time come. */
    comes: async () => {
      await silent.promise;
      return comes();
    },
  };
}
