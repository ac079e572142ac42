// Stores on a disk that does what a test says.
import { fdatasync, fdatasyncSync } from 'node:fs';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { slowSync } from '../../../src/core/limits.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { insertRecords } from './store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A disk that takes as long as a test says, or fails: what it is asked for is done by the system all the same. */
function handDisk() {
  let isHeld = false;
  let isFailing = false;
  let isSlow = false;
  let time = 0;
  let isPatient = false;
  let asked = Promise.withResolvers<void>();
  let go = Promise.withResolvers<void>();
  const take = () => {
    if (isFailing) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    if (isSlow) time += slowSync + 1;
  };
  const counts = { held: 0, pooled: 0 };
  return {
    /** How often the event loop and the pool were waited with. */
    counts,
    synchronise: async (file: number) => {
      counts.pooled += 1;
      asked.resolve();
      if (isHeld) await go.promise;
      take();
      await promisify(fdatasync)(file);
    },
    synchroniseAtOnce: (file: number) => {
      counts.held += 1;
      take();
      fdatasyncSync(file);
    },
    /** Goes on a little each time it is looked at: whatever ends after a while ends. */
    now: () => {
      time += 0.01;
      return time;
    },
    /** Lets time go by. */
    pass: (ms: number) => {
      time += ms;
    },
    wait: () => (isPatient ? new Promise<never>(() => {}) : Promise.resolve()),
    /** From here on nothing that waits for a time to be over goes on. */
    stopWaits: () => {
      isPatient = true;
    },
    /** From here on it is quick. */
    speedUp: () => {
      isSlow = false;
    },
    /** From here on all that it is asked for fails, until it is healed. */
    fail: () => {
      isFailing = true;
    },
    /** From here on each time takes longer than a reader should wait. */
    slowDown: () => {
      isSlow = true;
    },
    hold: () => {
      isHeld = true;
      asked = Promise.withResolvers();
      go = Promise.withResolvers();
    },
    /** Resolves when something is on its way to the disk. */
    asked: () => asked.promise,
    release: (fails = false) => {
      isFailing = fails;
      isHeld = false;
      go.resolve();
    },
    heal: () => {
      isFailing = false;
    },
  };
}

export const write = (store: Store, letter: string) =>
  store.transaction((tx) =>
    tx
      .updateTable('tenants')
      .set({ name: sql`name || ${letter}` })
      .where('id', '=', 'tenant-a')
      .execute(),
  );
export const readWord = async (tx: Tx) =>
  (await tx.selectFrom('tenants').select('name').where('id', '=', 'tenant-a').executeTakeFirstOrThrow()).name;
export const wordOf = (store: Store) => store.transaction(readWord);

/** On a disk that is quick, and always was. */
export async function quickStore(folder = temporaryFolder()) {
  const disk = handDisk();
  const store = await openStore(folder, true, { disk });
  onTestFinished(() => store.close());
  await store.transaction(insertRecords);
  return { disk, store, folder };
}

/** On a disk that is quick, and was slow a moment ago: the event loop does not wait for it yet. */
export async function storeOn() {
  const made = await quickStore();
  made.disk.slowDown();
  await write(made.store, '');
  made.disk.speedUp();
  await write(made.store, '');
  return made;
}

/** One that has found out that its disk is slow, since it waited once. */
export async function slowStore() {
  const made = await storeOn();
  made.disk.slowDown();
  await write(made.store, 'b');
  return made;
}

/** Whether it is settled when everything that can go on has gone on. */
export async function isSettled(work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  work.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  return settled;
}
