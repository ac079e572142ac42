// Queries of files that were uploaded: their sealed parts, and which of them the service has to work on.
import type { Import } from '../../core/import/import.ts';
import { rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';
import { findImport } from './import.ts';
import type { ImportPartRow } from './schema.ts';

/** The upload of a tenant that has not ended, or null. */
export async function findUpload(tx: Tx, tenantId: string): Promise<Import | null> {
  const row = await rowsWith(tx, 'imports', { tenantId, endedAt: null })
    .where('work', '<>', 'none')
    .orderBy('createdAt', 'desc')
    .executeTakeFirst();
  return row === undefined ? null : findImport(tx, tenantId, row.id);
}

/** The upload that waits longest for the service to work on it, or null. */
export async function nextUpload(tx: Tx): Promise<Import | null> {
  const row = await tx
    .selectFrom('imports')
    .select(['id', 'tenantId'])
    .where('work', 'in', ['check', 'take'])
    .where('endedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .executeTakeFirst();
  return row === undefined ? null : findImport(tx, row.tenantId, row.id);
}

export async function insertPart(tx: Tx, part: ImportPartRow): Promise<void> {
  await tx.insertInto('importParts').values(part).execute();
}

/** The part in which a place of a file is, or null. */
export async function findPart(tx: Tx, importId: string, at: number): Promise<ImportPartRow | null> {
  const parts = rowsWith(tx, 'importParts', { importId }).where('start', '<=', at);
  return (await parts.orderBy('start', 'desc').limit(1).executeTakeFirst()) ?? null;
}

/** Deletes the parts that begin before a place. */
export async function deletePartsBefore(tx: Tx, importId: string, place: number): Promise<void> {
  await tx.deleteFrom('importParts').where('importId', '=', importId).where('start', '<', place).execute();
}

/** Deletes one part of an upload that is over. @returns whether there was one */
export async function deletePartOver(tx: Tx): Promise<boolean> {
  const part = await tx
    .selectFrom('importParts')
    .innerJoin('imports', 'imports.id', 'importParts.importId')
    .select(['importId', 'start'])
    .where('endedAt', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (part === undefined) return false;
  const { importId, start } = part;
  await tx.deleteFrom('importParts').where('importId', '=', importId).where('start', '=', start).execute();
  return true;
}
