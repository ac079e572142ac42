/**
 * Keeps all that a database holds, and puts it back: for the rehearsal room, on SQLite alone. The copies are temporary tables,
 * which are in memory, and go with the connection.
 */
import { CompiledQuery } from 'kysely';
import { movedTables } from '../move/tables.ts';
import { forgetRemembered } from '../prepared.ts';
import { findRow, toFlag } from '../rows.ts';
import type { Tx } from '../store.ts';

/** Behind all others: the numbers that ids of some tables go on from. */
const tables: readonly string[] = [...movedTables, 'sqlite_sequence'];

const run = (tx: Tx, text: string) => tx.executeQuery<Record<string, number>>(CompiledQuery.raw(text));

/** A copy of a table. @param place the number of the copy of all: there are few, and so are the statements */
const copyOf = (table: string, place: number) => `temp."kept_${place}_${table}"`;

/** How many bytes the database has. */
export async function bytesIn(tx: Tx): Promise<number> {
  const sizes = await run(
    tx,
    'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
  );
  return sizes.rows[0]?.bytes ?? 0;
}

/** Whether there is a tenant that is no development tenant. */
export async function hasPlainTenant(tx: Tx): Promise<boolean> {
  return (await findRow(tx, 'tenants', { development: toFlag(false) })) !== null;
}

/** Copies everything to a place where nothing is kept. */
export async function keepAll(tx: Tx, place: number): Promise<void> {
  for (const table of tables) {
    await run(tx, `create table ${copyOf(table, place)} as select * from main."${table}"`);
  }
}

/** Puts everything back as it was when it was kept. */
export async function putBackAll(tx: Tx, place: number): Promise<void> {
  // A table comes after all that its rows refer to.
  for (const table of tables.toReversed()) await run(tx, `delete from main."${table}"`);
  for (const table of tables) {
    await run(tx, `insert into main."${table}" select * from ${copyOf(table, place)}`);
  }
  await forgetRemembered(tx);
}

/** Lets go of what is kept at a place. */
export async function dropAll(tx: Tx, place: number): Promise<void> {
  for (const table of tables) await run(tx, `drop table ${copyOf(table, place)}`);
}
