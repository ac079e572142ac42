// Queries of the systems that members come from, and of the addresses that moved in when they were asked for.
import type { OldSystem } from '../../core/import/old-system.ts';
import { deleteRows, findRow, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { OldSystemRow } from './schema.ts';

/** The system of a tenant, with the sealed secret that signs what it is asked; or null. */
export function findOldSystem(tx: Tx, tenantId: string): Promise<OldSystemRow | null> {
  return findRow(tx, 'oldSystems', { tenantId });
}

/** Gives the system of a tenant another secret, and takes it for well. @param secret sealed */
export async function saveOldSystemSecret(tx: Tx, tenantId: string, secret: Buffer): Promise<void> {
  await deleteRows(tx, 'oldSystems', { tenantId });
  const well = { failures: 0, failedAt: null, failure: null, restsUntil: 0 };
  await tx
    .insertInto('oldSystems')
    .values({ tenantId, secret, ...well })
    .execute();
}

/** How it goes with a system, after a call. */
export async function updateOldSystem(tx: Tx, { tenantId, ...changes }: OldSystem): Promise<void> {
  await updateRows(tx, 'oldSystems', { tenantId }, changes);
}

/** Whether a member with this address moved in when the system was asked, or was deleted here: it is not asked again. */
export async function hasMoved(tx: Tx, tenantId: string, addressHash: string): Promise<boolean> {
  return (await findRow(tx, 'movedAddresses', { tenantId, addressHash })) !== null;
}

export async function insertMovedAddress(
  tx: Tx,
  tenantId: string,
  addressHash: string,
  movedAt: number,
): Promise<void> {
  await tx
    .insertInto('movedAddresses')
    .values({ tenantId, addressHash, movedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
