// Leaves nothing of an erased member in the file when it is closed.
import { join } from 'node:path';
import { cleaningDue } from '../../storage/service.ts';
import { cleanFile, noteCleaning } from '../../storage/sqlite/clean.ts';
import { lockFolder } from '../../storage/sqlite/lock.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import type { Store } from '../../storage/store.ts';

/**
 * Closes a store. Where a member was erased since the file was cleaned last, it is cleaned then (F14).
 *
 * @param failed is told why the file could not be cleaned: the next time that it is closed it is tried again
 */
export async function closeClean(
  store: Store,
  dataFolder: string,
  failed: (error: unknown) => void = () => {},
): Promise<void> {
  // Who cannot be asked now is asked the next time.
  const erasedAt = await store.transaction(cleaningDue).catch(() => null);
  const isLost = store.isLost();
  await store.close();
  // A file that is not the one that was open is left alone (F11).
  if (erasedAt === null || isLost) return;
  try {
    const lock = lockFolder(dataFolder);
    try {
      const path = join(dataFolder, databaseFile);
      cleanFile(path);
      noteCleaning(path, erasedAt);
    } finally {
      lock.close();
    }
  } catch (error) {
    failed(error);
  }
}
