import { expect, it } from 'vitest';
import { findService, insertService } from '../../../src/storage/service.ts';
import { openMemoryStore } from '../../../src/storage/sqlite/open.ts';

const service = { environment: 'development', keyCheck: 'key', initialisedAt: 1 } as const;

it('a database in memory commits and takes back as a file does, and is another each time', async () => {
  const store = await openMemoryStore();
  await Promise.all([
    store.transaction((tx) => insertService(tx, service)),
    expect(
      store.transaction(async (tx) => {
        await tx.deleteFrom('service').execute();
        throw new Error('no');
      }),
    ).rejects.toThrow('no'),
    expect(store.lookUp(findService)).resolves.toMatchObject({ keyCheck: 'key' }),
  ]);
  expect(await store.transaction(findService)).toMatchObject({ keyCheck: 'key' });
  expect((await store.figures()).bytes.database).toBeGreaterThan(100_000);
  expect([store.isLost(), store.cleaningAt(), store.isShared]).toEqual([false, null, false]);
  const other = await openMemoryStore();
  expect(await other.transaction(findService)).toBeNull();
  await Promise.all([store.close(), other.close()]);
});
