// Opens a data folder for a configuration.

import type { Config } from '../../config.ts';
import { createPasswords } from '../../secrets/password.ts';
import { developmentMasterKey, openVault } from '../../secrets/vault.ts';
import { findService } from '../../storage/service.ts';
import { openStore, type StoreSurroundings } from '../../storage/sqlite/open.ts';
import { systemClock } from '../../system/clock.ts';
import { systemRandom } from '../../system/random.ts';
import { prepareUpgrade } from '../upkeep/upgrade.ts';
import { prepareService } from './service.ts';

/** What opening a data folder may do to it. */
export interface Opening {
  /** Whether a folder without a database becomes a new service. */
  readonly initialise: boolean;
  /** Whether a database of an older version is brought to this one. */
  readonly migrate: boolean;
  /** Who is told of what happens to the database. */
  readonly surroundings?: StoreSurroundings;
}

/**
 * Opens the data folder, and makes sure that it belongs to this configuration.
 *
 * @returns with the rest the copy that was made of a database of an older version, or null
 * @throws StartupError
 */
export async function openService(config: Config, { initialise, migrate, surroundings }: Opening) {
  const upgradeCopy = prepareUpgrade(config.dataFolder, migrate);
  const store = await openStore(config.dataFolder, initialise, surroundings);
  try {
    const isNew = (await store.transaction(findService)) === null;
    const vault = openVault(config.masterKey ?? developmentMasterKey(config.dataFolder, isNew));
    const passwords = createPasswords();
    const deps = { vault, passwords, random: systemRandom, now: systemClock() };
    await prepareService(store, config.environment, deps, config.port);
    return { store, vault, passwords, upgradeCopy };
  } catch (error) {
    await store.close();
    throw error;
  }
}
