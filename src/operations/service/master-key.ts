// Another master key: for a service that is stopped, and for one whose key is lost, which keeps all but what only that key can read.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type Vault, wrongMasterKey } from '../../secrets/vault.ts';
import { auditEnded, type Ended, endAllSignIns, giveUpMails } from '../../storage/operators/restore.ts';
import {
  endSealedFactors,
  listSealedMails,
  replaceSealedKeys,
  resealAll,
  updateKeyCheck,
} from '../../storage/operators/sealed.ts';
import { mayTakeLong } from '../../storage/prepared.ts';
import type { ServiceRow } from '../../storage/schema.ts';
import { findService } from '../../storage/service.ts';
import { readDatabase } from '../../storage/sqlite/backup.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import type { Store, Tx } from '../../storage/store.ts';
import { listTenants } from '../../storage/tenant.ts';
import { asStartupError } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { prepareKeys } from '../tenant/keys.ts';
import { openService } from './service.ts';

/**
 * Encrypts everything anew under another master key. The service must not run meanwhile, and is started with the new
 * key afterwards; the old one is then worth nothing.
 *
 * @returns how many values were encrypted anew
 * @throws StartupError that says which key works now: a disk that fails to confirm a commit may have it all the same
 */
export async function reencryptFolder(config: Config, newVault: Vault, migrate: boolean): Promise<number> {
  const { store, vault } = await openService(config, { initialise: false, migrate, alone: true });
  const [changed] = await Promise.allSettled([reencrypt(store, vault, newVault)]);
  const [closed] = await Promise.allSettled([store.close()]);
  if (changed.status === 'fulfilled' && closed.status === 'fulfilled') return changed.value;
  const [failed] = [changed, closed].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
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

/** What the loss of a master key takes with it. */
export type Lost = Awaited<ReturnType<typeof listLost>>;

/**
 * What is lost with the master key, for the question before it is given up.
 *
 * @param vault of the master key that the database is to have; null where that is made afterwards
 * @throws StartupError if nothing is lost: the key is the right one
 */
export async function listLost(
  tx: Tx,
  { environment }: Pick<Config, 'environment'>,
  vault: Pick<Vault, 'keyCheck'> | null,
) {
  await mayTakeLong(tx);
  checkLoss(await findService(tx), environment, vault);
  const tenants = (await listTenants(tx)).map(({ tenant }) => tenant);
  const { members } = await tx
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('members'))
    .where('erasedAt', 'is', null)
    .executeTakeFirstOrThrow();
  const mails = (await listSealedMails(tx)).map((mail) => ({
    ...mail,
    host: tenants.find(({ id }) => id === mail.tenantId)?.host ?? '',
  }));
  return { hosts: tenants.map(({ host }) => host), members, mails };
}

/**
 * Gives every tenant new signing keys and a new token key, under another master key, in one transaction: all of it, or
 * nothing. Members, passwords, client secrets and tokens of the admin API stay, since they are no secrets of that
 * key; all members are signed out, their second factors end, which can no longer be proven, and mails that wait are given
 * up.
 *
 * @param now ms
 * @throws StartupError if the key is not lost; nothing was changed then
 */
export async function makeNewKeys(
  store: Store,
  { environment }: Pick<Config, 'environment'>,
  vault: Vault,
  now: number,
): Promise<Pick<Ended, 'sessions' | 'signIns' | 'mails'>> {
  const tenants = (await store.transaction(listTenants)).map(({ tenant }) => tenant);
  const made = await Promise.all(
    tenants.map(async ({ id }) => ({ id, ...(await prepareKeys(id, vault, now)) })),
  );
  return store.transaction(async (tx) => {
    checkLoss(await findService(tx), environment, vault);
    for (const { id, ...keys } of made) await replaceSealedKeys(tx, id, keys, now);
    const mails = await giveUpMails(tx, 'the master key was lost');
    const secondFactors = await endSealedFactors(tx);
    const ended = await endAllSignIns(tx, 'keys_lost', now);
    await updateKeyCheck(tx, vault.keyCheck);
    const all = { ...ended, secondFactors, mails };
    await auditEnded(tx, 'master_key_lost', all, now);
    return all;
  });
}

function checkLoss(
  service: ServiceRow | null,
  environment: Config['environment'],
  vault: Pick<Vault, 'keyCheck'> | null,
): void {
  if (service === null) throw new StartupError('The database was never begun: there is nothing to save.');
  if (service.environment !== environment) {
    throw new StartupError(
      `The data folder was made for ${service.environment}, and this is ${environment}.`,
    );
  }
  if (service.keyCheck === vault?.keyCheck) {
    throw new StartupError(
      'The master key is the right one: nothing is lost. "memberdoor reencrypt FILE" changes it, "memberdoor keys rotate" makes new signing keys.',
    );
  }
}
