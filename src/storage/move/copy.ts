// Copies a service from one database into another, and checks the copy by reading it back.
import { createHash } from 'node:crypto';
import { StartupError } from '../../system/startup-error.ts';
import { type MovedTable, movedTables } from './tables.ts';

/** A value as it is stored, whatever the engine: whole numbers are bigints, so that none is rounded. */
export type Value = null | string | bigint | number | Buffer;
export type StoredRow = readonly Value[];

/** A database that can be read whole. It does not change meanwhile. */
export interface ReadSide {
  /** The names of a table's columns, in the order of the alphabet. */
  columns(table: MovedTable): Promise<readonly string[]>;
  /** All rows in the order of `queryOf`, some at a time. */
  read(table: MovedTable, columns: readonly string[]): AsyncIterable<readonly StoredRow[]>;
}

/** A new database, in a transaction that is not committed yet. */
export interface WriteSide extends ReadSide {
  write(table: MovedTable, columns: readonly string[], rows: readonly StoredRow[]): Promise<void>;
  /** To be called after the last row: what could not be written with it. */
  finish(): Promise<void>;
}

/** What was copied of a table. */
export interface TableCopy {
  readonly rows: number;
  /** SHA-256 of all values in their order, in hexadecimal. */
  readonly hash: string;
}

/** Is told how many rows of a table were copied so far. */
export type Progress = (table: MovedTable, rows: number) => void;

/**
 * Copies every table, and reads the copy back.
 *
 * @throws StartupError if it is not the same as the original
 */
export async function copyAll(
  source: ReadSide,
  target: WriteSide,
  tell: Progress,
): Promise<Readonly<Record<MovedTable, TableCopy>>> {
  const copies: [MovedTable, TableCopy][] = [];
  for (const table of movedTables) {
    const columns = await source.columns(table);
    const copy = async (rows: readonly StoredRow[], count: number) => {
      await target.write(table, columns, rows);
      tell(table, count);
    };
    copies.push([table, await summarise(source, table, copy)]);
  }
  await target.finish();
  for (const [table, copied] of copies) {
    const found = await summarise(target, table);
    if (found.rows === copied.rows && found.hash === copied.hash) continue;
    const what = found.rows === copied.rows ? 'other values' : `${found.rows} rows`;
    throw new StartupError(
      `The copy of the table ${table} has ${what}, and the original ${copied.rows} rows.`,
    );
  }
  return Object.fromEntries(copies) as Record<MovedTable, TableCopy>;
}

/** Reads a table from its beginning to its end. @param see sees each piece of it, and how many rows there were so far */
export async function summarise(
  side: ReadSide,
  table: MovedTable,
  see: (rows: readonly StoredRow[], count: number) => Promise<void> = async () => {},
): Promise<TableCopy> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of side.read(table, await side.columns(table))) {
    for (const row of rows) hash.update(row.map(textOf).join(';'));
    count += rows.length;
    await see(rows, count);
  }
  return { rows: count, hash: hash.digest('hex') };
}

/** No two values have the same text, and none of them can be taken for two. */
function textOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `text ${value.length} ${value}`;
  if (Buffer.isBuffer(value)) return `bytes ${value.length} ${value.toString('hex')}`;
  return typeof value === 'bigint' ? `whole ${value}` : `other ${value}`;
}
