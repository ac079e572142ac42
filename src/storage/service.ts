// Queries of the service itself, and of its first administrator.
import { sql } from 'kysely';
import { lastErasure } from './members/erase.ts';
import { findRow, updateRows } from './rows.ts';
import type { ServiceRow } from './schema.ts';
import type { Tx } from './store.ts';

/** What this database is, or null while it is being initialised. */
export async function findService(tx: Tx): Promise<ServiceRow | null> {
  return findRow(tx, 'service', {});
}

export async function insertService(
  tx: Tx,
  row: Omit<ServiceRow, 'id' | 'setupHash' | 'setupUsedAt' | 'tokensFrom' | 'cleanedUntil'>,
): Promise<void> {
  await tx
    .insertInto('service')
    .values({ id: 1, ...row, setupHash: null, setupUsedAt: null, tokensFrom: 0, cleanedUntil: 0 })
    .execute();
}

/** When the last member was erased (ms), if the file was not cleaned since; null otherwise. */
export async function cleaningDue(tx: Tx): Promise<number | null> {
  const erasedAt = await lastErasure(tx);
  const cleanedUntil = (await findService(tx))?.cleanedUntil ?? 0;
  return erasedAt !== null && erasedAt > cleanedUntil ? erasedAt : null;
}

/** Remembers that the file was cleaned while it is open. @param until when the last member was erased then (ms) */
export async function noteCleaned(tx: Tx, until: number): Promise<void> {
  await updateRows(tx, 'service', {}, { cleanedUntil: until });
}

/** Writes without changing anything: proves that the database can be written. */
export async function touchService(tx: Tx): Promise<void> {
  await updateRows(tx, 'service', {}, { id: 1 });
}

/** Written out, since an index of them alone is used for nothing else. */
const systemAdmin = sql.lit<'system_admin'>('system_admin');

/** The tenant of the first administrator of the whole service; null if there is none. */
export async function systemAdminTenantId(tx: Tx): Promise<string | null> {
  const row = await tx
    .selectFrom('members')
    .select('tenantId')
    .where('userType', '=', systemAdmin)
    .where('status', '=', 'active')
    .where('erasedAt', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.tenantId ?? null;
}

/**
 * Whether a member can sign in to the portal and administer everything: on a tenant that answers, and not
 * about to be deleted.
 *
 * @param butMemberId a member who is not counted, or null
 */
export async function hasSystemAdmin(tx: Tx, butMemberId: string | null = null): Promise<boolean> {
  let query = tx
    .selectFrom('members')
    .innerJoin('tenants', 'tenants.id', 'members.tenantId')
    .select('members.id')
    .where('members.userType', '=', systemAdmin)
    .where('members.status', '=', 'active')
    .where('members.deletionDueAt', 'is', null)
    .where('tenants.disabledAt', 'is', null);
  if (butMemberId !== null) query = query.where('members.id', '!=', butMemberId);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Stores the SHA-256 of the link that makes the first administrator; the one before it works no more. */
export async function saveSetupHash(tx: Tx, setupHash: string): Promise<void> {
  await updateRows(tx, 'service', {}, { setupHash, setupUsedAt: null });
}

/** Uses the link up. Returns whether it is the one that was offered last and was not used before. */
export async function useSetup(tx: Tx, setupHash: string, now: number): Promise<boolean> {
  return (await updateRows(tx, 'service', { setupHash, setupUsedAt: null }, { setupUsedAt: now })) === 1;
}
