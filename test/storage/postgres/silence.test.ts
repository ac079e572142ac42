import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresPool, postgresTimes } from '../../../src/core/operators/store-limits.ts';
import {
  endSignInsOfClient,
  findSignIn,
  insertSignIn,
  rotateSignIn,
} from '../../../src/storage/grants/sign-in.ts';
import { eraseMember } from '../../../src/storage/members/erase.ts';
import { endEverything } from '../../../src/storage/operators/restore.ts';
import { readPostgres } from '../../../src/storage/postgres/facts.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { watchSilence } from '../../../src/storage/postgres/silence.ts';
import { mayTakeLong } from '../../../src/storage/prepared.ts';
import { CommitUnanswered, StorageUnavailable, type Store, type Tx } from '../../../src/storage/store.ts';
import { type Sweep, sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { handSchedule } from '../../support/hand-schedule.ts';
import { openGate } from '../../support/proxy/gate.ts';
import { memberRecord, now, signInRecord } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';
import { ask, openShared, sharedDatabase } from '../../support/run/test-store.ts';

const { id, tenantId, clientId, generation: first } = signInRecord();
const may = { initialise: true, migrate: true };
const hour = 3_600_000;
/** Longer than any test, but for what a test is about. */
const ample = {
  connection: hour,
  answer: hour,
  statement: hour,
  idleInTransaction: hour,
  longAnswer: hour,
  keepAlive: hour,
};

const generation = (store: Store) =>
  store.transaction(async (tx) => (await findSignIn(tx, tenantId, id))?.generation ?? 0);
const rotate = async (tx: Tx) => {
  const from = (await findSignIn(tx, tenantId, id))?.generation ?? 0;
  await rotateSignIn(tx, { write: 'rotateSignIn', id, from, to: from + 1, at: now });
};

/** A store that reaches its database through a gate, and one that reaches it by itself. */
async function gated(times: Partial<typeof ample> = {}, isCut?: (said: Buffer) => boolean) {
  const url = await sharedDatabase();
  const gate = await openGate(Number(new URL(url).port), isCut);
  const through = url.replace(/:\d+\//, `:${gate.port}/`);
  const { schedule, comes } = handSchedule();
  const silent = Promise.withResolvers<void>();
  const store = await openPostgres(through, may, { schedule, times: { ...ample, ...times } });
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

/** Until a row shows what another connection is about to do. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 5_000; looks += 1) if (await isSo()) return;
  throw new Error('it does not come to that');
}

/** Connections of the database in a state, besides the one that asks. */
const connectionsIn = async (store: Store, state: string) => {
  const { rows } = await store.transaction((tx) =>
    sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = ${state}`.execute(tx),
  );
  return rows[0]?.count ?? 0;
};

const sleep = (ms: number) => sql`select pg_sleep(${ms / 1_000})`;

describe('a database that says nothing any more', () => {
  it('Z7: what it does not answer for 5 s is refused, and the next one is served when it is back', async () => {
    const { hold, open, store, comes } = await gated({ answer: postgresTimes.answer });
    await generation(store);
    hold();
    const asked = generation(store);
    expect(await comes()).toEqual([5_000]);
    await expect(asked).rejects.toBeInstanceOf(StorageUnavailable);
    open();
    expect(await generation(store)).toBe(first);
    expect((await store.figures()).connections).toEqual({ busy: 0, idle: 1, waited_for: 0 });
  });

  it('Z7: what is counted beside a transaction is refused as soon, and the next one is counted', async () => {
    const { hold, open, store, comes } = await gated();
    const count = () => sql`select count(*) from counters`.execute(store.autocommit as Tx);
    await count();
    hold();
    const asked = count();
    await comes();
    await expect(asked).rejects.toBeInstanceOf(StorageUnavailable);
    open();
    await expect(count()).resolves.toBeDefined();
  });

  it('Z7: what only reads is refused as soon, with all that share its snapshot', async () => {
    const { hold, open, store, comes } = await gated();
    const read = () => store.lookUp(async (tx) => (await findSignIn(tx, tenantId, id))?.generation);
    await read();
    hold();
    const asked = Promise.allSettled([read(), read()]);
    await comes();
    for (const { status, reason } of (await asked) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toBeInstanceOf(StorageUnavailable);
    }
    open();
    expect(await read()).toBe(first);
  });

  it('Z7: what waits for a snapshot is refused with those before it', async () => {
    const { hold, store, comes } = await gated();
    const read = (tx: Tx) => findSignIn(tx, tenantId, id);
    const allBegun = Promise.withResolvers<void>();
    const underWay: Promise<unknown>[] = [];
    for (let group = 0; group < postgresPool.lookUps; group += 1) {
      const begun = Promise.withResolvers<void>();
      const work = async (tx: Tx) => {
        await read(tx);
        begun.resolve();
        await allBegun.promise;
        await read(tx);
      };
      underWay.push(store.lookUp(work));
      await begun.promise;
    }
    const behind = store.lookUp(read);
    const results = Promise.allSettled([...underWay, behind]);
    hold();
    allBegun.resolve();
    await comes();
    for (const { status, reason } of (await results) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toBeInstanceOf(StorageUnavailable);
    }
  });

  it('Z7: a new connection is waited for no longer than an answer', async () => {
    const { hold, open, store, comes } = await gated({ connection: 1_000 });
    hold();
    const onTheOld = generation(store);
    await comes();
    await expect(onTheOld).rejects.toBeInstanceOf(StorageUnavailable);
    await expect(generation(store)).rejects.toBeInstanceOf(StorageUnavailable);
    open();
    await until(() =>
      generation(store).then(
        () => true,
        () => false,
      ),
    );
  });

  it('Z7: those who wait for their turn to run again are refused with the first', async () => {
    const { hold, store, comes } = await gated();
    const inTheWay = Object.assign(new Error('another was in the way'), { code: '40001' });
    const refused = Array.from({ length: 3 }, async () => {
      let runs = 0;
      return store.transaction(async (tx) => {
        await findSignIn(tx, tenantId, id);
        runs += 1;
        if (runs === 1) throw inTheWay;
        // All others have been taken back by then, and come behind this one.
        await until(async () => (await store.figures()).retries === 3);
        hold();
        await findSignIn(tx, tenantId, id);
      });
    });
    // The time of the first comes, and of no other.
    const results = Promise.allSettled(refused);
    await comes();
    for (const { status, reason } of (await results) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toBeInstanceOf(StorageUnavailable);
    }
  });

  it('Z3: a commit that it did not answer is neither told as done nor done again', async () => {
    let isCutting = false;
    const { store, direct } = await gated({}, (said) => isCutting && said.includes('COMMIT'));
    let runs = 0;
    const unanswered = store.transaction(async (tx) => {
      runs += 1;
      isCutting = true;
      await rotate(tx);
    });
    await expect(unanswered).rejects.toBeInstanceOf(CommitUnanswered);
    expect(runs).toBe(1);
    expect(await generation(direct)).toBe(first + 1);
  });

  it('Z3: a commit that arrives after its work was refused commits nothing', async () => {
    const { hold, open, store, direct, comes } = await gated({ idleInTransaction: 50 });
    const late = store.transaction(async (tx) => {
      await rotate(tx);
      hold();
    });
    await comes();
    await expect(late).rejects.toBeInstanceOf(CommitUnanswered);
    await until(async () => (await connectionsIn(direct, 'idle in transaction')) === 0);
    open();
    expect(await generation(store)).toBe(first);
    expect(await generation(direct)).toBe(first);
  });
});

describe('a database that is slow, or a process that is', () => {
  it('Z7: a statement that takes longer than 4 s is ended by the server, and its connection goes on', async () => {
    const { store } = await gated({ statement: 50 });
    await expect(store.transaction((tx) => sleep(60_000).execute(tx))).rejects.toBeInstanceOf(
      StorageUnavailable,
    );
    expect(await generation(store)).toBe(first);
    expect((await store.figures()).connections).toMatchObject({ idle: 1 });
    const beside = sleep(60_000).execute(store.autocommit as Tx);
    await expect(beside).rejects.toBeInstanceOf(StorageUnavailable);
  });

  it('Z7: a transaction that waits too long for its own process holds up no other', async () => {
    const { store, direct } = await gated({ idleInTransaction: 50 });
    const goesOn = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const slow = store.transaction(async (tx) => {
      await tx.updateTable('signIns').set({ label: 'slow' }).where('id', '=', id).execute();
      written.resolve();
      await goesOn.promise;
    });
    await written.promise;
    await direct.transaction(rotate);
    goesOn.resolve();
    await expect(slow).rejects.toBeInstanceOf(StorageUnavailable);
    expect(await generation(store)).toBe(first + 1);
  });

  it('Z7: a process that was held up itself reads what was answered before it gives up', async () => {
    const { schedule, comes } = handSchedule();
    let why: Error | null = null;
    const watch = watchSilence(
      (error) => {
        why = error;
      },
      { usual: 1, long: 2 },
      schedule,
    );
    watch.sent();
    watch.left();
    await comes();
    watch.answered();
    await new Promise(setImmediate);
    expect(why).toBeNull();
  });
});

describe('work that may take long', () => {
  it('is ended by no time of a request, and the transaction after it is', async () => {
    const { store } = await gated({ statement: 50 });
    const long = store.transaction(async (tx) => {
      await mayTakeLong(tx);
      await sleep(200).execute(tx);
    });
    await expect(long).resolves.toBeUndefined();
    await expect(store.transaction((tx) => sleep(60_000).execute(tx))).rejects.toBeInstanceOf(
      StorageUnavailable,
    );
  });

  it('is given up at last, where the database says nothing any more', async () => {
    const { hold, store, comes } = await gated({ longAnswer: postgresTimes.longAnswer });
    const long = store.transaction(async (tx) => {
      await mayTakeLong(tx);
      hold();
      await sleep(0).execute(tx);
    });
    expect(await comes()).toEqual([600_000]);
    await expect(long).rejects.toBeInstanceOf(StorageUnavailable);
  });

  it.each([
    ['the sign-ins of a client', (tx: Tx) => endSignInsOfClient(tx, { tenantId, clientId }, 'revoked', now)],
    ['everything that was issued before a restore', (tx: Tx) => endEverything(tx, now)],
    ['what tells who a member was', (tx: Tx) => eraseMember(tx, memberRecord(), now)],
  ])('is to end %s', async (_what, work) => {
    const { store } = await gated();
    await store.transaction(async (tx) => {
      await work(tx);
      const { rows } = await sql<{
        limit: string;
      }>`select current_setting('statement_timeout') as limit`.execute(tx);
      expect(rows).toEqual([{ limit: '0' }]);
    });
  });

  it('is a sweep, each bite of it', async () => {
    const { store } = await gated();
    const limits: unknown[] = [];
    const sweep: Sweep = {
      rows: 'none',
      bite: async (tx) => {
        limits.push((await sql`select current_setting('statement_timeout') as limit`.execute(tx)).rows[0]);
        return { deleted: 0, next: null };
      },
    };
    await sweepThrough(store, sweep);
    expect(limits).toEqual([{ limit: '0' }]);
  });

  it('is a migration, and what a doctor reads', async () => {
    const url = `${process.env.TEST_POSTGRES}`;
    await ask(url, 'create database slow');
    const store = await openPostgres(`${url}/slow`, may, { times: { ...ample, statement: 1 } });
    await store.close();
    expect((await readPostgres(`${url}/slow`)).schema.length).toBeGreaterThan(3);
  });
});
