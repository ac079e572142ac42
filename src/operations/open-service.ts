import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { systemRandom } from '../random.ts';
import { createPasswords } from '../secrets/password.ts';
import { developmentMasterKey, openVault } from '../secrets/vault.ts';
import type { CommitObserver } from '../storage/group-commit.ts';
import { findService } from '../storage/service.ts';
import { openStore } from '../storage/store.ts';
import { prepareService } from './service.ts';

/**
 * Opens the data folder, and makes sure that it belongs to this configuration.
 *
 * @param mayInitialise whether a folder without a database becomes a new service
 * @param observe is told of each commit
 * @throws StartupError
 */
export async function openService(config: Config, mayInitialise: boolean, observe?: CommitObserver) {
  const store = await openStore(config.dataFolder, mayInitialise, observe);
  try {
    const isNew = (await store.transaction(findService)) === null;
    const vault = openVault(config.masterKey ?? developmentMasterKey(config.dataFolder, isNew));
    const passwords = createPasswords();
    const deps = { vault, passwords, random: systemRandom, now: systemClock() };
    await prepareService(store, config.environment, deps, config.port);
    return { store, vault, passwords };
  } catch (error) {
    await store.close();
    throw error;
  }
}
