// Reads the database of a data folder whole, and makes a new one, when a service moves to another engine.
import SQLite from 'better-sqlite3';
import { movedRows } from '../../core/operators/store-limits.ts';
import { StartupError } from '../../system/startup-error.ts';
import type { ReadSide, StoredRow, WriteSide } from '../move/copy.ts';
import { listed, type MovedTable, ofNewDatabase, queryOf } from '../move/tables.ts';

/**
 * A file whose folder is locked.
 *
 * @param path of a database of this version that was closed
 */
export function openSource(path: string): ReadSide & { close(): void } {
  const sqlite = new SQLite(path, { fileMustExist: true, timeout: 0 });
  return { ...readingOf(sqlite), close: () => void sqlite.close() };
}

/**
 * A file that no process uses. What is written into it is there when it is committed.
 *
 * @param path of a database of this version without a service
 */
export function openTarget(path: string): WriteSide & { commit(): void; close(): void } {
  const sqlite = new SQLite(path, { fileMustExist: true, timeout: 0 });
  // Each row is asked for what it refers to when all of them are there.
  sqlite.pragma('foreign_keys = off');
  sqlite.pragma('synchronous = full');
  sqlite.exec(`begin immediate; delete from ${ofNewDatabase}`);
  const insertions = new Map<MovedTable, SQLite.Statement>();
  const insertionOf = (table: MovedTable, columns: readonly string[]) => {
    const known = insertions.get(table);
    if (known !== undefined) return known;
    const places = columns.map(() => '?').join();
    const made = sqlite.prepare(`insert into "${table}" (${listed(columns)}) values (${places})`);
    insertions.set(table, made);
    return made;
  };
  return {
    ...readingOf(sqlite),
    write: async (table, columns, rows) => {
      const insertion = insertionOf(table, columns);
      for (const row of rows) insertion.run(...row);
    },
    finish: async () => {
      const [lone] = sqlite.pragma('foreign_key_check') as readonly { readonly table: string }[];
      if (lone !== undefined)
        throw new StartupError(`The table ${lone.table} has a row that refers to none.`);
    },
    commit: () => void sqlite.exec('commit'),
    // What is not committed is taken back; the log goes with the last connection.
    close: () => void sqlite.close(),
  };
}

function readingOf(sqlite: SQLite.Database): ReadSide {
  return {
    columns: async (table) =>
      (sqlite.pragma(`table_info("${table}")`) as readonly { readonly name: string }[])
        .map(({ name }) => name)
        .sort(),
    read: (table, columns) => batches(sqlite.prepare(queryOf(table, columns)).raw().safeIntegers()),
  };
}

async function* batches(rows: SQLite.Statement): AsyncGenerator<readonly StoredRow[]> {
  let batch: StoredRow[] = [];
  for (const row of rows.iterate() as IterableIterator<StoredRow>) {
    batch.push(row);
    if (batch.length < movedRows) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
