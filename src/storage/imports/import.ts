// Queries of files of members on their way in, and of the lines of them that were refused.
import type { Import, ImportCounts, RefusedLine } from '../../core/import/import.ts';
import { findRow, type ListPage, rowsWith, updateRow, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { ImportRow } from './schema.ts';

export async function insertImport(
  tx: Tx,
  { options, head, failure, trial, ...rest }: Import,
): Promise<void> {
  const texts = {
    options: JSON.stringify(options),
    place: textOf(head),
    failure: textOf(failure),
    trial: textOf(trial),
  };
  await tx
    .insertInto('imports')
    .values({ ...rest, ...texts })
    .execute();
}

/** The imports of a tenant, by id, which is the order in which they began. */
export async function listImports(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly Import[]> {
  return (await within(rowsWith(tx, 'imports', { tenantId }), 'id', page).execute()).map(importOf);
}

/** An import of a tenant, or null. */
export async function findImport(tx: Tx, tenantId: string, id: string): Promise<Import | null> {
  const row = await findRow(tx, 'imports', { id, tenantId });
  return row === null ? null : importOf(row);
}

/** The import of a file that has begun and not ended, the newest first; or null. */
export async function findOpenImport(tx: Tx, tenantId: string, fileHash: string): Promise<Import | null> {
  const open = rowsWith(tx, 'imports', { tenantId, fileHash, endedAt: null });
  const row = await open.orderBy('createdAt', 'desc').orderBy('id', 'desc').executeTakeFirst();
  return row === undefined ? null : importOf(row);
}

const textOf = (value: object | null) => (value === null ? null : JSON.stringify(value));

function importOf({ options, place, failure, trial, ...row }: ImportRow): Import {
  return {
    ...row,
    options: JSON.parse(options),
    head: place === null ? null : JSON.parse(place),
    failure: failure === null ? null : JSON.parse(failure),
    trial: trial === null ? null : JSON.parse(trial),
  };
}

/** What changes of an import while it comes in. */
type ImportChanges = Partial<
  ImportCounts &
    Pick<
      Import,
      | 'fileName'
      | 'fileBytes'
      | 'fileHash'
      | 'received'
      | 'sending'
      | 'head'
      | 'options'
      | 'work'
      | 'trial'
      | 'invited'
      | 'readTo'
      | 'line'
      | 'startedAt'
      | 'endedAt'
      | 'failure'
    >
>;

/** How far an import has got. */
export async function moveImport(
  tx: Tx,
  { id, tenantId }: Pick<Import, 'id' | 'tenantId'>,
  { options, head, failure, trial, ...rest }: ImportChanges,
): Promise<void> {
  const texts = {
    ...(options === undefined ? {} : { options: JSON.stringify(options) }),
    ...(head === undefined ? {} : { place: textOf(head) }),
    ...(failure === undefined ? {} : { failure: textOf(failure) }),
    ...(trial === undefined ? {} : { trial: textOf(trial) }),
  };
  await updateRow(tx, 'imports', { id, tenantId, endedAt: null }, { ...rest, ...texts });
}

export async function insertRefusals(
  tx: Tx,
  importId: string,
  refused: readonly RefusedLine[],
): Promise<void> {
  for (const { line, problems } of refused) {
    const row = { importId, line, problems: JSON.stringify(problems) };
    await tx.insertInto('importRefusals').values(row).execute();
  }
}

/** The lines of an import that were refused, behind a line, in their order. */
export async function listRefusals(
  tx: Tx,
  importId: string,
  after: number,
  limit: number,
): Promise<readonly RefusedLine[]> {
  const rows = rowsWith(tx, 'importRefusals', { importId }).where('line', '>', after);
  const found = await rows.orderBy('line').limit(limit).execute();
  return found.map(({ line, problems }) => ({ line, problems: JSON.parse(problems) }));
}
