import type { ServiceRow } from './schema.ts';
import type { Tx } from './store.ts';

/** What this database is, or null while it is being initialised. */
export async function findService(tx: Tx): Promise<ServiceRow | null> {
  return (await tx.selectFrom('service').selectAll().executeTakeFirst()) ?? null;
}

export async function insertService(
  tx: Tx,
  row: Omit<ServiceRow, 'id' | 'setupHash' | 'setupUsedAt' | 'tokensFrom'>,
): Promise<void> {
  await tx
    .insertInto('service')
    .values({ id: 1, ...row, setupHash: null, setupUsedAt: null, tokensFrom: 0 })
    .execute();
}

/** Writes without changing anything: proves that the database can be written. */
export async function touchService(tx: Tx): Promise<void> {
  await tx.updateTable('service').set({ id: 1 }).execute();
}
