// Queries about the first administrator of the service.
import { sql } from 'kysely';
import type { Tx } from '../store.ts';

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
  await tx.updateTable('service').set({ setupHash, setupUsedAt: null }).execute();
}

/** Uses the link up. Returns whether it is the one that was offered last and was not used before. */
export async function useSetup(tx: Tx, setupHash: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('service')
    .set({ setupUsedAt: now })
    .where('setupHash', '=', setupHash)
    .where('setupUsedAt', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
