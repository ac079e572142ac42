// Queries of hosts and client_ids that may not come back as unverified clients.

import type { ClientBanRow } from '../clients/schema.ts';
import { deleteRows, type ListPage, rowsWith, within } from '../rows.ts';
import type { Tx } from '../store.ts';

/** Whether any of these hosts and client_ids is banned. */
export async function isBanned(tx: Tx, tenantId: string, names: readonly string[]): Promise<boolean> {
  if (names.length === 0) return false;
  const found = await rowsWith(tx, 'clientBans', { tenantId })
    .where('banned', 'in', names)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function listClientBans(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly ClientBanRow[]> {
  return within(rowsWith(tx, 'clientBans', { tenantId }), 'banned', page).execute();
}

/** Remembers a ban; one that is there stays as it is. */
export async function insertClientBan(tx: Tx, ban: ClientBanRow): Promise<void> {
  await tx
    .insertInto('clientBans')
    .values(ban)
    .onConflict((conflict) => conflict.columns(['tenantId', 'banned']).doNothing())
    .execute();
}

/** @returns whether there was such a ban */
export async function deleteClientBan(tx: Tx, tenantId: string, banned: string): Promise<boolean> {
  return (await deleteRows(tx, 'clientBans', { tenantId, banned })) > 0;
}
