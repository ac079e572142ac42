// Queries of how far the audit was streamed.
import { findRow } from '../rows.ts';
import type { Tx } from '../store.ts';
import { eventOfRow, type StoredAuditEvent } from './audit-list.ts';

/** The last event that was streamed to a place; null where none was yet. */
export async function streamedUntil(tx: Tx, place: string): Promise<number | null> {
  return (await findRow(tx, 'auditStreams', { place }))?.until ?? null;
}

export async function saveStreamedUntil(tx: Tx, place: string, until: number): Promise<void> {
  await tx
    .insertInto('auditStreams')
    .values({ place, until })
    .onConflict((conflict) => conflict.column('place').doUpdateSet({ until }))
    .execute();
}

/** Events behind one and up to another, in the order of their ids. */
export async function listEventsBehind(
  tx: Tx,
  after: number,
  upTo: number,
  most: number,
): Promise<readonly StoredAuditEvent[]> {
  const rows = await tx
    .selectFrom('auditEvents')
    .selectAll()
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map(eventOfRow);
}
