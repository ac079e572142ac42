// What can be saved of a service whose master key is lost: everything but what only that key can read.
import type { Config } from '../../config.ts';
import type { Vault } from '../../secrets/vault.ts';
import { auditEnded, type Ended, endAllSignIns, giveUpMails } from '../../storage/operators/restore.ts';
import {
  type LostMail,
  listSealedMails,
  replaceSealedKeys,
  updateKeyCheck,
} from '../../storage/operators/sealed.ts';
import type { ServiceRow } from '../../storage/schema.ts';
import { findService } from '../../storage/service.ts';
import type { Store, Tx } from '../../storage/store.ts';
import { listTenants } from '../../storage/tenant.ts';
import { StartupError } from '../../system/startup-error.ts';
import { prepareKeys } from '../tenant/tenant.ts';

/** What the loss of a master key takes with it. */
export interface Lost {
  readonly hosts: readonly string[];
  readonly members: number;
  readonly mails: readonly (LostMail & { readonly host: string })[];
}

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
): Promise<Lost> {
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
 * key; all members are signed out, and mails that wait are given up.
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
    for (const { id, ...keys } of made) await replaceSealedKeys(tx, id, keys);
    const mails = await giveUpMails(tx, 'the master key was lost');
    const ended = await endAllSignIns(tx, 'keys_lost', now);
    await updateKeyCheck(tx, vault.keyCheck);
    const all = { ...ended, mails };
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
