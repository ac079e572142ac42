import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import type { Store } from '../../../src/storage/store.ts';
import { isSettled, quickStore, slowStore, storeOn, wordOf } from '../../support/records/hand-disk.ts';

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
