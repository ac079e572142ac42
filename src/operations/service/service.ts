// Begins a new database, or checks that an old one belongs to this environment and master key.
import type { Config } from '../../config.ts';
import type { Passwords } from '../../secrets/password.ts';
import { type Vault, wrongMasterKey } from '../../secrets/vault.ts';
import { findService, insertService } from '../../storage/service.ts';
import type { Store } from '../../storage/store.ts';
import { listTenants, updateTenantAddress } from '../../storage/tenant.ts';
import type { Random } from '../../system/random.ts';
import { StartupError } from '../../system/startup-error.ts';
import { developmentTenants } from '../development/clients.ts';
import { developmentAddress, prepareDevelopment } from '../development/load.ts';

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
 * @throws StartupError if the database is of the other environment or of another key
 */
export async function prepareService(
  store: Store,
  environment: Config['environment'],
  deps: ServiceDeps,
  port: number,
): Promise<void> {
  const service = await store.transaction(findService);
  if (service === null) {
    const load = environment === 'development' ? await prepareDevelopment(deps, port) : async () => {};
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

/** The development tenants live at the port of this start, whatever it was before. */
async function followPort(store: Store, port: number): Promise<void> {
  await store.transaction(async (tx) => {
    const tenants = (await listTenants(tx)).map(({ tenant }) => tenant);
    for (const known of developmentTenants) {
      // Its name may have been changed; its host never is.
      const tenant = tenants.find(({ host }) => host.replace(/:\d+$/, '') === known.host);
      const { issuer, host } = developmentAddress(known, port);
      if (tenant !== undefined && tenant.issuer !== issuer)
        await updateTenantAddress(tx, tenant.id, issuer, host);
    }
  });
}
