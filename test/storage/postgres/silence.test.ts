import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { postgresPool, postgresTimes } from '../../../src/core/operators/store-limits.ts';
import { findSignIn, rotateSignIn } from '../../../src/storage/grants/sign-in.ts';
import { watchSilence } from '../../../src/storage/postgres/silence.ts';
import { CommitUnanswered, StorageUnavailable, type Store, type Tx } from '../../../src/storage/store.ts';
import { handSchedule } from '../../support/hand-schedule.ts';
import { now, signInRecord } from '../../support/records/records.ts';
import { gated } from '../../support/run/gated.ts';

const { generation: first, id, tenantId } = signInRecord();

const generation = (store: Store) =>
  store.transaction(async (tx) => (await findSignIn(tx, tenantId, id))?.generation ?? 0);
const rotate = async (tx: Tx) => {
  const from = (await findSignIn(tx, tenantId, id))?.generation ?? 0;
  await rotateSignIn(tx, { write: 'rotateSignIn', id, from, to: from + 1, at: now });
};

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

const idleTime = sql`select setting from pg_settings where name = 'idle_in_transaction_session_timeout'`;
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
    const { hold, open, store, direct, comes } = await gated({ idleInTransaction: 1_000 });
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
    const { store, direct } = await gated({ idleInTransaction: 20_000 });
    const goesOn = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const slow = store.transaction(async (tx) => {
      await tx.updateTable('signIns').set({ label: 'slow' }).where('id', '=', id).execute();
      expect((await idleTime.execute(tx)).rows).toEqual([{ setting: '20000' }]);
      // From here on it is shorter: a machine that stands still for a moment would end what is not yet written.
      await sql`set local idle_in_transaction_session_timeout = 50`.execute(tx);
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
