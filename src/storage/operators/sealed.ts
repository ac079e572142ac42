// Queries of everything that is encrypted under the master key.
import type { WaitingMail } from '../members/mail.ts';
import { forgetRemembered } from '../prepared.ts';
import { deleteRows, findRow, rowsWith, updateRows } from '../rows.ts';
import type { SigningKeyRow } from '../schema.ts';
import type { Tx } from '../store.ts';

/** Turns what was encrypted for an owner into what is stored in its place. @throws if it cannot be read */
export type Reseal = (sealed: Buffer, owner: string) => Buffer;

/**
 * Changes everything that is encrypted under the master key: the keys of tenants, their signing keys, the secrets of second
 * factors and of webhooks, and the mails that wait. A mail that cannot be read stays as it is: it could not be read before.
 *
 * @returns how many were changed
 */
export async function resealAll(tx: Tx, reseal: Reseal): Promise<number> {
  const tenants = await tx.selectFrom('tenants').select(['id', 'tokenKey']).execute();
  for (const { id, tokenKey } of tenants) {
    await updateRows(tx, 'tenants', { id }, { tokenKey: reseal(tokenKey, id) });
  }
  const keys = await tx.selectFrom('signingKeys').select(['kid', 'tenantId', 'privateKey']).execute();
  for (const { kid, tenantId, privateKey } of keys) {
    await updateRows(tx, 'signingKeys', { kid }, { privateKey: reseal(privateKey, tenantId) });
  }
  const factors = await tx.selectFrom('secondFactors').select(['memberId', 'tenantId', 'secret']).execute();
  for (const { memberId, tenantId, secret } of factors) {
    await updateRows(tx, 'secondFactors', { memberId }, { secret: reseal(secret, tenantId) });
  }
  const ofProviders = await resealProviders(tx, reseal);
  const ofOthers =
    ofProviders +
    (await resealAnswers(tx, reseal)) +
    (await resealWebhooks(tx, reseal)) +
    (await resealMovingIn(tx, reseal));
  const sealed = [tenants, keys, factors].reduce((all, rows) => all + rows.length, ofOthers);
  return sealed + (await resealMails(tx, reseal));
}

/** The secrets that other providers know us by, and what they gave. */
async function resealProviders(tx: Tx, reseal: Reseal): Promise<number> {
  await forgetRemembered(tx);
  const providers = await tx
    .selectFrom('identityProviders')
    .select(['tenantId', 'key', 'secret'])
    .where('secret', 'is not', null)
    .execute();
  for (const { tenantId, key, secret } of providers) {
    if (secret === null) continue;
    await updateRows(tx, 'identityProviders', { tenantId, key }, { secret: reseal(secret, tenantId) });
  }
  const accounts = await tx
    .selectFrom('linkedAccounts')
    .select(['id', 'tenantId', 'tokens'])
    .where('tokens', 'is not', null)
    .execute();
  for (const { id, tenantId, tokens } of accounts) {
    if (tokens === null) continue;
    await updateRows(tx, 'linkedAccounts', { id }, { tokens: reseal(tokens, tenantId) });
  }
  return providers.length + accounts.length;
}

/** The answers of calls that are made once. */
async function resealAnswers(tx: Tx, reseal: Reseal): Promise<number> {
  const calls = await tx.selectFrom('callsOnce').select(['id', 'owner']).execute();
  for (const { id, owner } of calls) {
    const call = await findRow(tx, 'callsOnce', { id });
    if (call === null || call.answer === null) continue;
    await updateRows(tx, 'callsOnce', { id }, { answer: reseal(call.answer, owner) });
  }
  return calls.length;
}

/** The secrets that sign what endpoints are told. */
async function resealWebhooks(tx: Tx, reseal: Reseal): Promise<number> {
  const endpoints = await tx
    .selectFrom('webhookEndpoints')
    .select(['id', 'tenantId', 'secret', 'previousSecret'])
    .execute();
  for (const { id, tenantId, secret, previousSecret } of endpoints) {
    const [current, previous] = [secret, previousSecret].map((one) =>
      one === null ? null : reseal(one, tenantId),
    );
    const sealed = { secret: current ?? null, previousSecret: previous ?? null };
    await updateRows(tx, 'webhookEndpoints', { id }, sealed);
  }
  return endpoints.length;
}

/** What signs the questions to old systems, and the files of members on their way in. */
async function resealMovingIn(tx: Tx, reseal: Reseal): Promise<number> {
  const systems = await tx.selectFrom('oldSystems').select(['tenantId', 'secret']).execute();
  for (const { tenantId, secret } of systems) {
    if (secret !== null)
      await updateRows(tx, 'oldSystems', { tenantId }, { secret: reseal(secret, tenantId) });
  }
  const places = await tx
    .selectFrom('importParts')
    .innerJoin('imports', 'imports.id', 'importParts.importId')
    .select(['importId', 'start', 'tenantId'])
    .execute();
  for (const { importId, start, tenantId } of places) {
    // One at a time: a file is larger than the memory should be.
    const part = await findRow(tx, 'importParts', { importId, start });
    if (part === null) continue;
    await updateRows(tx, 'importParts', { importId, start }, { sealed: reseal(part.sealed, tenantId) });
  }
  return systems.length + places.length;
}

async function resealMails(tx: Tx, reseal: Reseal): Promise<number> {
  const mails = await rowsWith(tx, 'mails', { state: 'waiting' }).execute();
  let changed = 0;
  for (const { id, tenantId, message } of mails) {
    const resealed = message === null ? null : readable(() => reseal(message, tenantId));
    if (resealed === null) continue;
    await updateRows(tx, 'mails', { id }, { message: resealed });
    changed += 1;
  }
  return changed;
}

function readable(reseal: () => Buffer): Buffer | null {
  try {
    return reseal();
  } catch {
    return null;
  }
}

/** A mail that can no longer be decrypted, and so never leaves. */
export type LostMail = Pick<WaitingMail, 'id' | 'tenantId' | 'name' | 'createdAt'>;

/** What is encrypted and cannot be made anew: the mails that wait, oldest first. */
export async function listSealedMails(tx: Tx): Promise<readonly LostMail[]> {
  return tx
    .selectFrom('mails')
    .select(['id', 'tenantId', 'name', 'createdAt'])
    .where('state', '=', 'waiting')
    .orderBy('id')
    .execute();
}

/**
 * The keys that a tenant has from now on; those that were encrypted under a lost key are gone. A provider whose secret was
 * is off until the operator gives it again: its links stay.
 *
 * @param now ms
 */
export async function replaceSealedKeys(
  tx: Tx,
  tenantId: string,
  { tokenKey, keys }: { readonly tokenKey: Buffer; readonly keys: readonly SigningKeyRow[] },
  now: number,
): Promise<void> {
  await forgetRemembered(tx);
  for (const owner of [tenantId, '']) await deleteRows(tx, 'callsOnce', { owner });
  const sealed = tx.updateTable('identityProviders').where('tenantId', '=', tenantId);
  await sealed.where('secret', 'is not', null).set({ secret: null, disabledAt: now }).execute();
  await updateRows(tx, 'linkedAccounts', { tenantId }, { tokens: null });
  const unsigned = {
    secret: null,
    previousSecret: null,
    disabledAt: now,
    disabledReason: 'its secret was lost',
  };
  await updateRows(tx, 'webhookEndpoints', { tenantId }, unsigned);
  await updateRows(tx, 'oldSystems', { tenantId }, { secret: null });
  await tx
    .deleteFrom('importParts')
    .where('importId', 'in', (eb) => eb.selectFrom('imports').select('id').where('tenantId', '=', tenantId))
    .execute();
  await updateRows(tx, 'tenants', { id: tenantId }, { tokenKey });
  await deleteRows(tx, 'signingKeys', { tenantId });
  await tx
    .insertInto('signingKeys')
    .values([...keys])
    .execute();
}

/** Ends the second factors of all members, whose secrets nothing reads any more. @returns how many */
export const endSealedFactors = (tx: Tx): Promise<number> => deleteRows(tx, 'secondFactors', {});

/** The key that the database belongs to from now on. */
export async function updateKeyCheck(tx: Tx, keyCheck: string): Promise<void> {
  await updateRows(tx, 'service', {}, { keyCheck });
}
