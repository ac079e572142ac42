import type { Tx } from '../store.ts';

/** The tenant of the first who administers the whole service; null if nobody does. */
export async function systemAdminTenantId(tx: Tx): Promise<string | null> {
  const row = await tx
    .selectFrom('members')
    .select('tenantId')
    .where('userType', '=', 'system_admin')
    .where('status', '=', 'active')
    .where('erasedAt', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.tenantId ?? null;
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
