import { fdatasync, fdatasyncSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heldPart, slowSync } from '../../../src/core/limits.ts';
import { auditedStore } from '../../../src/storage/operators/audited.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { StorageUnavailable, type Store, type Tx } from '../../../src/storage/store.ts';
import { testClock } from '../../support/clock.ts';
import { newMailer } from '../../support/mails/mailer.ts';
import { testOutbox } from '../../support/mails/outbox.ts';
import { insertRecords } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

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

const write = (store: Store, letter: string) =>
  store.transaction((tx) =>
    tx
      .updateTable('tenants')
      .set({ name: sql`name || ${letter}` })
      .where('id', '=', 'tenant-a')
      .execute(),
  );
const readWord = async (tx: Tx) =>
  (await tx.selectFrom('tenants').select('name').where('id', '=', 'tenant-a').executeTakeFirstOrThrow()).name;
const wordOf = (store: Store) => store.transaction(readWord);

/** On a disk that is quick, and always was. */
async function quickStore(folder = temporaryFolder()) {
  const disk = handDisk();
  const store = await openStore(folder, true, { disk });
  onTestFinished(() => store.close());
  await store.transaction(insertRecords);
  return { disk, store, folder };
}

/** On a disk that is quick, and was slow a moment ago: the event loop does not wait for it yet. */
async function storeOn() {
  const made = await quickStore();
  made.disk.slowDown();
  await write(made.store, '');
  made.disk.speedUp();
  await write(made.store, '');
  return made;
}

/** One that has found out that its disk is slow, since it waited once. */
async function slowStore() {
  const made = await storeOn();
  made.disk.slowDown();
  await write(made.store, 'b');
  return made;
}

/** Whether it is settled when everything that can go on has gone on. */
async function isSettled(work: Promise<unknown>): Promise<boolean> {
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

describe('F13: while a commit is on its way to the disk', () => {
  it('promise 1: the request that wrote it is not answered', async () => {
    const { disk, store } = await storeOn();
    disk.hold();
    const written = write(store, 'b');
    await disk.asked();
    expect(await isSettled(written)).toBe(false);
    disk.release();
    await written;
    expect(await wordOf(store)).toBe('Tenant Ab');
  });

  it('no request that saw it is answered: a reader waits, or sees what was there before', async () => {
    const { disk, store } = await storeOn();
    disk.hold();
    const written = write(store, 'b');
    await disk.asked();
    const read = wordOf(store);
    // Whether the disk is slow is measured, and a busy machine makes any disk slow.
    const isAnswered = await isSettled(read);
    disk.release();
    expect(await read).toBe(isAnswered ? 'Tenant A' : 'Tenant Ab');
    await written;
    expect(await wordOf(store)).toBe('Tenant Ab');
  });

  it('a mail that it queued leaves once it is there, and waits for no other', async () => {
    const { disk, store } = await slowStore();
    const [clock, outbox] = [testClock(), testOutbox()];
    const mailer = newMailer(
      auditedStore(store, clock.now, () => {}),
      clock,
      outbox.transport(null),
    );
    const elapse = async () => {
      if (mailer.planned() !== null) await mailer.elapse();
    };
    disk.hold();
    const posted = mailer.post();
    await disk.asked();
    await elapse();
    expect(outbox.sent).toEqual([]);
    disk.release();
    await posted;
    await elapse();
    expect(outbox.sent).toHaveLength(1);
  });

  it('on a slow disk who reads is answered at once, from what is there already', async () => {
    const { disk, store } = await slowStore();
    disk.hold();
    const written = write(store, 'c');
    await disk.asked();
    expect(await wordOf(store)).toBe('Tenant Ab');
    expect(await isSettled(written)).toBe(false);
    disk.release();
    await written;
    expect(await wordOf(store)).toBe('Tenant Abc');
  });

  it('on a slow disk who was answered reads what was confirmed, though the next commit is under way', async () => {
    const { disk, store } = await slowStore();
    for (const letter of 'cdef') {
      disk.hold();
      const first = write(store, letter);
      await disk.asked();
      const second = write(store, letter.toUpperCase());
      await isSettled(second);
      disk.release();
      await first;
      disk.hold();
      expect(await wordOf(store)).toMatch(new RegExp(`${letter}$|${letter.toUpperCase()}$`));
      disk.release();
      await second;
    }
    expect(await wordOf(store)).toBe('Tenant AbcCdDeEfF');
  });

  it('the next group runs, and is committed after it', async () => {
    const { disk, store } = await storeOn();
    const ran: string[] = [];
    const noted = (letter: string) =>
      store.transaction(async (tx) => {
        ran.push(letter);
        await tx.updateTable('tenants').set({ name: letter }).where('id', '=', 'tenant-a').execute();
      });
    disk.hold();
    const first = noted('b');
    await disk.asked();
    const later = [noted('c'), noted('d')];
    expect(await isSettled(later[0] as Promise<unknown>)).toBe(false);
    expect(ran).toEqual(['b', 'c', 'd']);
    disk.release();
    await Promise.all([first, ...later]);
    expect(await wordOf(store)).toBe('d');
  });

  it('a piece that reads, and then writes, writes once', async () => {
    const { disk, store } = await slowStore();
    disk.hold();
    const first = write(store, 'c');
    await disk.asked();
    const second = store.transaction(async (tx) => {
      const word = await readWord(tx);
      if (word.endsWith('c')) return word;
      await tx.updateTable('tenants').set({ name: 'changed' }).where('id', '=', 'tenant-a').execute();
      return readWord(tx);
    });
    await isSettled(second);
    disk.release();
    await first;
    // On the snapshot it would have written; where it may, there was no need.
    expect(await second).toBe('Tenant Abc');
    expect(await wordOf(store)).toBe('Tenant Abc');
  });
});

describe('F13: where the event loop waits for the disk', () => {
  it('is no matter of the pool while the disk is quick', async () => {
    const { disk, store } = await quickStore();
    for (const letter of 'bcd') await write(store, letter);
    expect(disk.counts).toEqual({ held: 4, pooled: 0 });
    expect(await wordOf(store)).toBe('Tenant Abcd');
  });

  it('it waits once for one that turned slow, and again when it has been quick for a while', async () => {
    const { disk, store } = await quickStore();
    disk.slowDown();
    for (const letter of 'bcd') await write(store, letter);
    disk.pass((2 * slowSync) / heldPart);
    await write(store, 'e');
    expect(disk.counts).toEqual({ held: 2, pooled: 3 });
    disk.speedUp();
    for (const letter of 'fg') await write(store, letter);
    expect(disk.counts).toEqual({ held: 3, pooled: 4 });
  });

  it('it does not soon wait again for one that is slow now and then', async () => {
    const { disk, store } = await storeOn();
    const { held } = disk.counts;
    for (const letter of 'bcd') await write(store, letter);
    expect(disk.counts.held).toBe(held);
    disk.pass((2 * slowSync) / heldPart);
    await write(store, 'e');
    expect(disk.counts.held).toBe(held + 1);
  });

  it('promise 3: what fails to get there is told, changed nothing, and the next one goes on', async () => {
    const { disk, store, folder } = await quickStore();
    disk.fail();
    const written = [write(store, 'x'), write(store, 'y')];
    const read = wordOf(store);
    for (const each of written) await expect(each).rejects.toThrow(StorageUnavailable);
    disk.heal();
    expect(await read).toBe('Tenant A');
    await write(store, 'b');
    expect(disk.counts.pooled).toBe(0);
    await store.close();
    const again = await openStore(folder, false);
    onTestFinished(() => again.close());
    expect(await wordOf(again)).toBe('Tenant Ab');
  });
});

describe('promise 3: a commit that does not reach the disk', () => {
  it('is no success: it is told, changed nothing, and the next one goes on', async () => {
    const { disk, store, folder } = await storeOn();
    disk.hold();
    const written = write(store, 'x');
    await disk.asked();
    const read = wordOf(store);
    disk.release(true);
    await expect(written).rejects.toThrow(StorageUnavailable);
    disk.heal();
    expect(await read).toBe('Tenant A');
    await write(store, 'b');
    expect(await wordOf(store)).toBe('Tenant Ab');
    await store.close();
    const again = await openStore(folder, false);
    onTestFinished(() => again.close());
    expect(await wordOf(again)).toBe('Tenant Ab');
  });

  it('takes with it what was built on it', async () => {
    const { disk, store } = await storeOn();
    disk.hold();
    const first = write(store, 'x');
    await disk.asked();
    const later = [write(store, 'y'), write(store, 'z'), wordOf(store)];
    await isSettled(later[0] as Promise<unknown>);
    disk.release(true);
    const results = await Promise.allSettled([first, ...later]);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name)),
    ).toEqual(['StorageUnavailable', 'StorageUnavailable', 'StorageUnavailable', 'Tenant A']);
    disk.heal();
    await write(store, 'b');
    expect(await wordOf(store)).toBe('Tenant Ab');
  });

  it('again and again leaves nothing behind', async () => {
    const { disk, store } = await slowStore();
    for (let round = 0; round < 5; round += 1) {
      disk.hold();
      const bad = write(store, 'x');
      await disk.asked();
      disk.release(true);
      await expect(bad).rejects.toThrow(StorageUnavailable);
      disk.heal();
      await write(store, '.');
    }
    expect(await wordOf(store)).toBe('Tenant Ab.....');
  });
});

describe('a checkpoint', () => {
  // SQLite writes no page that stays as it was.
  const blobOf = (count: number) => (count % 2 === 0 ? 'x' : 'y').repeat(100_000);
  let writes = 0;
  const fill = async (store: Store, times: number) => {
    for (let count = 0; count < times; count += 1) {
      writes += 1;
      await store.transaction((tx) =>
        tx
          .updateTable('tenants')
          .set({ name: `${count}${blobOf(writes)}` })
          .where('id', '=', 'tenant-a')
          .execute(),
      );
    }
  };

  it('begins the log again once it has 1,000 pages, and all that was confirmed is there', async () => {
    const { store, folder } = await storeOn();
    // Each takes some 25 pages.
    await fill(store, 150);
    expect(statSync(join(folder, 'memberdoor.db-wal')).size).toBeLessThan(2_500 * 4_120);
    expect(await wordOf(store)).toMatch(/^149[xy]/);
    await store.close();
    const again = await openStore(folder, false);
    onTestFinished(() => again.close());
    expect(await wordOf(again)).toMatch(/^149[xy]/);
  });

  it('F13: is over on a quick disk before work that came meanwhile is tried, which is done once', async () => {
    const { disk, store } = await quickStore();
    disk.stopWaits();
    let runs = 0;
    const asked = 100;
    const writer = async () => {
      for (let count = 0; count < asked; count += 1) {
        await store.transaction((tx) => {
          runs += 1;
          return tx
            .updateTable('tenants')
            .set({ name: `${count}${blobOf(count)}` })
            .where('id', '=', 'tenant-a')
            .execute();
        });
      }
    };
    // A checkpoint synchronises its new log in the pool.
    await Promise.all([writer(), writer(), writer(), writer()]);
    expect(disk.counts.pooled).toBeGreaterThan(0);
    expect(runs).toBe(4 * asked);
  });

  it('F13: lets those go on who read, whatever is on its way to the disk', async () => {
    const { disk, store } = await slowStore();
    // The log is begun again on the way.
    for (let count = 0; count < 60; count += 1) {
      disk.hold();
      const written = fill(store, 1);
      await disk.asked();
      expect(await wordOf(store)).toMatch(count === 0 ? /^Tenant Ab$/ : /^0[xy]/);
      expect(await isSettled(written)).toBe(false);
      disk.release();
      await written;
    }
  });

  it('whose new log does not reach the disk leaves all that was confirmed', async () => {
    const { disk, store, folder } = await storeOn();
    const failed: unknown[] = [];
    for (let count = 0; count < 120; count += 1) {
      disk.hold();
      const work = store.transaction((tx) =>
        tx
          .updateTable('tenants')
          .set({ name: `${count}${blobOf(count)}` })
          .where('id', '=', 'tenant-a')
          .execute(),
      );
      await disk.asked();
      disk.release(count % 2 === 1);
      await work.then(
        () => failed.push(null),
        () => failed.push(count),
      );
      disk.heal();
    }
    const last = failed.lastIndexOf(null);
    expect(failed.some((each) => each !== null)).toBe(true);
    expect(await wordOf(store)).toBe(`${last}${blobOf(last)}`);
    await store.close();
    const again = await openStore(folder, false);
    onTestFinished(() => again.close());
    expect(await wordOf(again)).toBe(`${last}${blobOf(last)}`);
  });
});
