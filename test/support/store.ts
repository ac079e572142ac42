import { onTestFinished } from 'vitest';
import { openStore, type Store } from '../../src/storage/store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A new store on a file of its own, closed when the test is over. */
export async function newStore(folder = temporaryFolder()): Promise<Store> {
  const store = await openStore(folder, true);
  onTestFinished(() => store.close());
  return store;
}
