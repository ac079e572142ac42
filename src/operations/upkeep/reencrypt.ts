import type { Vault } from '../../secrets/vault.ts';
import { StartupError } from '../../startup-error.ts';
import { resealAll, updateKeyCheck } from '../../storage/operators/sealed.ts';
import { findService } from '../../storage/service.ts';
import type { Store } from '../../storage/store.ts';

/**
 * Encrypts everything anew under another master key, in one transaction: all of it, or nothing. The service
 * must not run meanwhile, and is started with the new key afterwards; the old one is then worth nothing.
 *
 * @returns how many values were encrypted anew
 * @throws StartupError if the database was not made with the old key; nothing was changed then
 */
export function reencrypt(store: Store, oldVault: Vault, newVault: Vault): Promise<number> {
  return store.transaction(async (tx) => {
    const service = await findService(tx);
    if (service?.keyCheck !== oldVault.keyCheck) {
      throw new StartupError('The master key is not the one this database was made with.');
    }
    const changed = await resealAll(tx, (sealed, owner) =>
      newVault.encrypt(oldVault.decrypt(sealed, owner), owner),
    );
    await updateKeyCheck(tx, newVault.keyCheck);
    return changed;
  });
}
