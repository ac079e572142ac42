// Opens and closes a data folder: begins a new database, or checks that an old one belongs to this configuration.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, ServiceConfig } from '../../config.ts';
import { createPasswords, type Passwords } from '../../secrets/password.ts';
import {
  developmentMasterKey,
  newMasterKey,
  openVault,
  type Vault,
  wrongMasterKey,
} from '../../secrets/vault.ts';
import { cleaningDue, findService, insertService } from '../../storage/service.ts';
import { cleanFile, noteCleaning } from '../../storage/sqlite/clean.ts';
import { lockFolder } from '../../storage/sqlite/lock.ts';
import {
  databaseFile,
  openMemoryStore,
  openStore,
  type StoreSurroundings,
} from '../../storage/sqlite/open.ts';
import type { Store } from '../../storage/store.ts';
import { listTenants, updateTenantAddress } from '../../storage/tenant.ts';
import { systemClock } from '../../system/clock.ts';
import { type Random, systemRandom } from '../../system/random.ts';
import { StartupError } from '../../system/startup-error.ts';
import { developmentAddress, type Examples, prepareDevelopment } from '../development/load.ts';
import { prepareUpgrade } from '../upkeep/backup.ts';

/** What an operation may need beside the transaction. */
export interface ServiceDeps {
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly random: Random;
  readonly now: number;
}

/**
 * Makes sure that the open database belongs to this environment and this master key; a new one is marked,
 * and in development filled with the development tenants.
 *
 * @param port the port the service listens on: part of the development tenants' addresses
 * @param examples which example tenants a new development service gets
 * @throws StartupError if the database is of the other environment or of another key
 */
export async function prepareService(
  store: Store,
  environment: Config['environment'],
  deps: ServiceDeps,
  port: number,
  examples: Examples = 'all',
): Promise<void> {
  const service = await store.transaction(findService);
  if (service === null) {
    const isFilled = environment === 'development' && examples !== 'none';
    const load = isFilled ? await prepareDevelopment(deps, port, examples) : async () => {};
    const { keyCheck } = deps.vault;
    await store.transaction(async (tx) => {
      await load(tx);
      await insertService(tx, { environment, keyCheck, initialisedAt: deps.now });
    });
    return;
  }
  if (service.environment !== environment) {
    throw new StartupError(
      `The data folder was made for ${service.environment} and cannot be used for ${environment}.`,
    );
  }
  if (service.keyCheck !== deps.vault.keyCheck) {
    throw wrongMasterKey();
  }
  if (environment === 'development') await followPort(store, port);
}

/** Development tenants live at the port of this start, whatever it was before. */
async function followPort(store: Store, port: number): Promise<void> {
  await store.transaction(async (tx) => {
    for (const { tenant } of await listTenants(tx)) {
      if (!tenant.development) continue;
      const { issuer, host } = developmentAddress({ host: tenant.host.replace(/:\d+$/, '') }, port);
      if (tenant.issuer !== issuer) await updateTenantAddress(tx, tenant.id, issuer, host);
    }
  });
}

/** What opening a data folder may do to it. */
export interface Opening {
  /** Whether a folder without a database becomes a new service. */
  readonly initialise: boolean;
  /** Whether a database of an older version is brought to this one. */
  readonly migrate: boolean;
  /** Which example tenants a new development service gets; all unless given. */
  readonly examples?: Examples;
  /** Refuses a database that a process of the service uses; a data folder is refused then in any case. */
  readonly alone?: boolean;
  /** Who is told of what happens to the database. */
  readonly surroundings?: StoreSurroundings;
}

/**
 * Opens the database that the settings name.
 *
 * @returns with it the copy that was made of a file of an older version, or null
 * @throws StartupError
 */
export async function openDatabase(
  { databaseUrl, dataFolder }: Pick<ServiceConfig, 'databaseUrl' | 'dataFolder'>,
  { initialise, migrate, alone = false, surroundings }: Opening,
): Promise<{ readonly store: Store; readonly upgradeCopy: string | null }> {
  if (dataFolder === null) return { store: await openMemoryStore(surroundings), upgradeCopy: null };
  if (databaseUrl !== null) {
    // A service that lives in a file needs no driver.
    const { openPostgres } = await import('../../storage/postgres/open.ts');
    if (alone) await (await import('../../storage/postgres/alone.ts')).refuseUsedAt(databaseUrl);
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const store = await openPostgres(databaseUrl, { initialise, migrate }, surroundings);
    return { store, upgradeCopy: null };
  }
  const upgradeCopy = prepareUpgrade(dataFolder, migrate);
  return { store: await openStore(dataFolder, initialise, surroundings), upgradeCopy };
}

/**
 * Opens the data folder, and makes sure that it belongs to this configuration.
 *
 * @returns with the rest the copy that was made of a database of an older version, or null
 * @throws StartupError
 */
export async function openService(config: ServiceConfig, opening: Opening) {
  const { store, upgradeCopy } = await openDatabase(config, opening);
  try {
    const isNew = (await store.transaction(findService)) === null;
    if (isNew && !opening.initialise) {
      throw new StartupError(
        'The database has its tables and no service: what began it was cut off. "memberdoor init" begins a new one, "memberdoor move" moves one there.',
      );
    }
    const { dataFolder } = config;
    const ownKey = () => (dataFolder === null ? newMasterKey() : developmentMasterKey(dataFolder, isNew));
    const vault = openVault(config.masterKey ?? ownKey());
    const passwords = createPasswords();
    const deps = { vault, passwords, random: systemRandom, now: systemClock() };
    await prepareService(store, config.environment, deps, config.port, opening.examples);
    return { store, vault, passwords, upgradeCopy };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Closes a store. Where a member was erased since SQLite's file was cleaned last, it is cleaned then (F14).
 *
 * @param failed is told why the file could not be cleaned: the next time that it is closed it is tried again
 */
export async function closeClean(
  store: Store,
  dataFolder: string | null,
  failed: (error: unknown) => void = () => {},
): Promise<void> {
  if (store.isShared || dataFolder === null) return store.close();
  // A store that cannot be asked now is asked the next time.
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
