import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { StorageUnavailable, type Store } from '../../../src/storage/store.ts';
import { insertRecords } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const nameOf = (store: Store) =>
  store.transaction(
    async (tx) =>
      (await tx.selectFrom('tenants').select('name').where('id', '=', 'tenant-a').executeTakeFirst())?.name,
  );
const rename = (store: Store, name: string) =>
  store.transaction((tx) => tx.updateTable('tenants').set({ name }).where('id', '=', 'tenant-a').execute());

/** A store with "first" in its file, a copy of that as `older`, and "second" in its log. */
async function openAndOlder() {
  const folder = join(temporaryFolder(), 'data');
  const path = join(folder, 'memberdoor.db');
  const begun = await openStore(folder, true);
  await begun.transaction(insertRecords);
  await begun.close();
  const older = join(folder, 'older.db');
  copyFileSync(path, older);
  const first = await openStore(folder, false);
  await rename(first, 'first');
  await first.close();
  const told: string[] = [];
  const store = await openStore(folder, false, { lost: (why) => told.push(why) });
  await rename(store, 'second');
  return { folder, path, older, store, told };
}

describe('F11: the database file of a running service', () => {
  it.each<[string, (path: string, older: string) => void, RegExp, RegExp]>([
    ['removed', (path) => rmSync(path), /is not there any more$/, /There is no database at .*, but its log/],
    [
      'replaced by an older copy',
      (path, older) => renameSync(older, path),
      /was replaced by another file$/,
      /The log .* is not of the database/,
    ],
    [
      'overwritten by an older copy',
      (path, older) => copyFileSync(older, path),
      /was changed by another program$/,
      /The log .* is not of the database/,
    ],
    ['truncated', (path) => truncateSync(path, 0), /was changed by another program$/, /is an empty file/],
  ])(
    '%s: no write is confirmed, one line tells why, and nothing of ours gets into it',
    async (_how, happen, why, refusal) => {
      const { folder, path, older, store, told } = await openAndOlder();
      happen(path, older);
      const left = readIfThere(path);
      await expect(rename(store, 'third')).rejects.toThrow(StorageUnavailable);
      await expect(rename(store, 'fourth')).rejects.toThrow(why);
      expect(told).toEqual([expect.stringMatching(why)]);
      await store.close();
      await expect(openStore(folder, true)).rejects.toThrow(refusal);
      expect(readIfThere(path)).toEqual(left);
    },
  );

  it('that was not changed itself can still be read', async () => {
    const { path, store } = await openAndOlder();
    renameSync(path, `${path}.away`);
    await expect(rename(store, 'third')).rejects.toThrow(StorageUnavailable);
    expect(await nameOf(store)).toBe('second');
    await store.close();
  });

  it('that was overwritten is not read either', async () => {
    const { path, older, store } = await openAndOlder();
    copyFileSync(older, path);
    await expect(rename(store, 'third')).rejects.toThrow(StorageUnavailable);
    await expect(nameOf(store)).rejects.toThrow(StorageUnavailable);
    await store.close();
  });

  it('whose folder was renamed has what was confirmed, and nothing that was refused', async () => {
    const { folder, store } = await openAndOlder();
    const writing = rename(store, 'third');
    renameSync(folder, `${folder}-elsewhere`);
    await expect(writing).rejects.toThrow(StorageUnavailable);
    await store.close();
    const again = await openStore(`${folder}-elsewhere`, false);
    expect(await nameOf(again)).toBe('second');
    await again.close();
  });

  it('is noticed to be gone even if nothing is written', async () => {
    const folder = temporaryFolder();
    const told = Promise.withResolvers<string>();
    const store = await openStore(folder, true, { lost: told.resolve });
    rmSync(join(folder, 'memberdoor.db'));
    expect(await told.promise).toMatch(/is not there any more$/);
    await store.close();
  });

  it('whose log is deleted confirms nothing more', async () => {
    const { path, store } = await openAndOlder();
    rmSync(`${path}-wal`);
    await expect(rename(store, 'third')).rejects.toThrow(StorageUnavailable);
    await store.close();
  });

  it('that is the same file as before, put back from a copy, starts with all that was confirmed', async () => {
    const { folder, path, store } = await openAndOlder();
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    renameSync(copy, path);
    await expect(rename(store, 'third')).rejects.toThrow(StorageUnavailable);
    await store.close();
    const again = await openStore(folder, false);
    expect(await nameOf(again)).toBe('second');
    await again.close();
  });
});

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
