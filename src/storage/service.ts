// Queries of the one row about the service itself.
import type { ServiceRow } from './schema.ts';
import type { Tx } from './store.ts';

/** What this database is, or null while it is being initialised. */
export async function findService(tx: Tx): Promise<ServiceRow | null> {
  return (await tx.selectFrom('service').selectAll().executeTakeFirst()) ?? null;
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
  const { erasedAt } = await tx
    .selectFrom('members')
    .select((eb) => eb.fn.max('erasedAt').as('erasedAt'))
    .where('erasedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  const cleanedUntil = (await findService(tx))?.cleanedUntil ?? 0;
  return erasedAt !== null && erasedAt > cleanedUntil ? erasedAt : null;
}

/** Remembers that the file was cleaned while it is open. @param until when the last member was erased then (ms) */
export async function noteCleaned(tx: Tx, until: number): Promise<void> {
  await tx.updateTable('service').set({ cleanedUntil: until }).execute();
}

/** Writes without changing anything: proves that the database can be written. */
export async function touchService(tx: Tx): Promise<void> {
  await tx.updateTable('service').set({ id: 1 }).execute();
}
