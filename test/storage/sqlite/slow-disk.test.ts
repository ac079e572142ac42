import { describe, expect, it, onTestFinished } from 'vitest';
import { heldPart, slowSync } from '../../../src/core/limits.ts';
import { auditedStore } from '../../../src/storage/operators/audited.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { StorageUnavailable } from '../../../src/storage/store.ts';
import { testClock } from '../../support/clock.ts';
import { newMailer } from '../../support/mails/mailer.ts';
import { testOutbox } from '../../support/mails/outbox.ts';
import {
  isSettled,
  quickStore,
  readWord,
  slowStore,
  storeOn,
  wordOf,
  write,
} from '../../support/records/hand-disk.ts';

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
