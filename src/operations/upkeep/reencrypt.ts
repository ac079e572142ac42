// Changes the master key of a service that is stopped.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type Vault, wrongMasterKey } from '../../secrets/vault.ts';
import { resealAll, updateKeyCheck } from '../../storage/operators/sealed.ts';
import { findService } from '../../storage/service.ts';
import { readDatabase } from '../../storage/sqlite/backup.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import type { Store } from '../../storage/store.ts';
import { asStartupError } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { openService } from '../service/open-service.ts';

/**
 * Encrypts everything anew under another master key. The service must not run meanwhile, and is started with the new
 * key afterwards; the old one is then worth nothing.
 *
 * @returns how many values were encrypted anew
 * @throws StartupError that says which key works now: a disk that fails to confirm a commit may have it all the same
 */
export async function reencryptFolder(config: Config, newVault: Vault, migrate: boolean): Promise<number> {
  const { store, vault } = await openService(config, { initialise: false, migrate });
  const { changed, trouble } = await reencrypt(store, vault, newVault).then(
    (count) => ({ changed: count, trouble: null }),
    (error: unknown) => ({ changed: 0, trouble: error }),
  );
  const atClose = await store.close().then(
    () => null,
    (error: unknown) => error,
  );
  const failed = trouble ?? atClose;
  if (failed === null) return changed;
  if (failed instanceof StartupError) throw failed;
  const told = asStartupError(failed);
  if (told === null) throw failed;
  throw new StartupError(`${told.message} ${workingKey(config, vault, newVault)}`);
}

/** What the next start will find, which reads the log from its beginning as this does. */
function workingKey({ dataFolder }: Config, oldVault: Vault, newVault: Vault): string {
  const keep = 'Keep both keys until the service has started.';
  try {
    const { keyCheck } = readDatabase(join(dataFolder, databaseFile), 'none');
    if (keyCheck === newVault.keyCheck) {
      return `All of it was encrypted anew before that: the new master key is the one that works now. ${keep}`;
    }
    if (keyCheck === oldVault.keyCheck) {
      return `Nothing was encrypted anew: the old master key is the one that works. ${keep}`;
    }
  } catch {
    // The file cannot be read either.
  }
  return `Which master key works now cannot be seen. ${keep}`;
}

/**
 * All in one transaction: everything is changed, or nothing.
 *
 * @throws StartupError if the database was not made with the old key; nothing was changed then
 */
export function reencrypt(store: Store, oldVault: Vault, newVault: Vault): Promise<number> {
  return store.transaction(async (tx) => {
    const service = await findService(tx);
    if (service?.keyCheck !== oldVault.keyCheck) throw wrongMasterKey();
    const changed = await resealAll(tx, (sealed, owner) =>
      newVault.encrypt(oldVault.decrypt(sealed, owner), owner),
    );
    await updateKeyCheck(tx, newVault.keyCheck);
    return changed;
  });
}
