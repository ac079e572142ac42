import { describe, expect, it } from 'vitest';
import { type OnceUsedId, useOnce } from '../../../src/storage/grants/used-id.ts';
import type { Store } from '../../../src/storage/store.ts';
import { forgottenByTime } from '../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { now } from '../../support/records/records.ts';
import { newStore } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { openTestStore, twoStores } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

const first: OnceUsedId = {
  tenantId: 'tenant-a',
  purpose: 'client assertion',
  issuer: 'app',
  id: '1',
  expiresAt: now,
};
const use = (store: Store, changes: Partial<OnceUsedId> = {}) =>
  store.transaction((tx) => useOnce(tx, { ...first, ...changes }));

describe('an id that may be used once', () => {
  it('is new once', async () => {
    const store = await newStore();
    expect(await use(store)).toBe(true);
    expect(await use(store)).toBe(false);
    expect(await use(store, { expiresAt: now + 1 })).toBe(false);
  });

  it.each<Partial<OnceUsedId>>([
    { tenantId: 'tenant-b' },
    { purpose: 'DPoP proof' },
    { issuer: 'other' },
    { id: '2' },
    { issuer: 'ap', id: 'p1' },
  ])('is another with %o', async (changes) => {
    const store = await newStore();
    await use(store);
    expect(await use(store, changes)).toBe(true);
  });

  it('is as new as before when what it guards is rolled back', async () => {
    const store = await newStore();
    const failing = store.transaction(async (tx) => {
      await useOnce(tx, first);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await use(store)).toBe(true);
  });

  it('is remembered by the next start', async () => {
    const folder = temporaryFolder();
    const store = await openTestStore(folder, true);
    await use(store);
    await store.close();
    const next = await openTestStore(folder, true);
    expect(await use(next)).toBe(false);
    await next.close();
  });

  it('is remembered until what bears it has expired, for every process', async () => {
    const store = await newStore();
    await use(store);
    const sweep = async (at: number) => {
      for (const part of forgottenByTime([], at)) await sweepThrough(store, part);
    };
    await sweep(now + 2_000);
    expect(await use(store)).toBe(false);
    await sweep(now + 2_001);
    expect(await use(store)).toBe(true);
  });

  it('of 200 at once one is the first', async () => {
    const store = await newStore();
    const all = await Promise.all(Array.from({ length: 200 }, () => use(store)));
    expect(all.filter((isFirst) => isFirst)).toHaveLength(1);
  });
});

describe('an id that may be used once, where processes share a database', () => {
  const stores = useStarted(twoStores);

  it('of 200 at once over two processes one is the first', async () => {
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, index) => use(index % 2 === 0 ? stores.one : stores.other)),
    );
    expect(all.filter((isFirst) => isFirst)).toHaveLength(1);
  });

  it('is used up in work that began as a look-up too', async () => {
    const lookUp = (store: Store) => store.lookUp((tx) => useOnce(tx, { ...first, id: 'looked up' }));
    expect([await lookUp(stores.one), await lookUp(stores.other)]).toEqual([true, false]);
  });
});
