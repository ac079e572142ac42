// Writes many rows at once: PostgreSQL takes them in one statement, since each is a message and an answer; SQLite, which is
// in this process, takes them one by one by the statement that it has prepared.
import type { Insertable } from 'kysely';
import { connectionOf, insertion } from './prepared.ts';
import { named } from './query-text.ts';
import type { Table } from './rows.ts';
import type { Database } from './schema.ts';
import type { Tx } from './store.ts';

/**
 * Prepares the insertion of whole rows, all of the same columns and of texts and numbers alone.
 *
 * @returns what inserts rows, in their order
 */
export function insertions<T extends Table>(
  table: T,
): (tx: Tx, rows: readonly Insertable<Database[T]>[]) => Promise<void> {
  const insertOne = insertion(table);
  return async (tx, rows) => {
    const [first] = rows;
    if (first === undefined) return;
    if (!connectionOf(tx).isRemote || rows.length === 1) {
      for (const row of rows) await insertOne(tx, row);
      return;
    }
    const columns = Object.keys(first).map(quoted).join(', ');
    await putRows(
      tx,
      `insert into ${quoted(table)} (${columns}) select ${columns} from ${given(table)}`,
      rows,
    );
  };
}

/**
 * Prepares a change of many rows. All of them must be there.
 *
 * @param key the column that tells them apart
 * @param changeOne makes it of one row
 */
export function changes<T extends Table, Row extends object>(
  table: T,
  key: keyof Row & string,
  changeOne: (tx: Tx, row: Row) => unknown,
): (tx: Tx, rows: readonly Row[]) => Promise<void> {
  return async (tx, rows) => {
    const [first] = rows;
    if (first === undefined) return;
    if (!connectionOf(tx).isRemote) {
      for (const row of rows) await changeOne(tx, row);
      return;
    }
    const columns = Object.keys(first).filter((column) => column !== key);
    const set = columns.map((column) => `${quoted(column)} = given.${quoted(column)}`).join(', ');
    const where = `${quoted(table)}.${quoted(key)} = given.${quoted(key)}`;
    const changed = `update ${quoted(table)} set ${set} from given where ${where} returning 1`;
    // Fails unless each is there: when the answer comes, the transaction may be committed.
    await putRows(
      tx,
      `with given as (select * from ${given(table)}), changed as (${changed}) ` +
        'select 1 / case count(*) when (select count(*) from given) then 1 else 0 end from changed',
      rows,
    );
  };
}

const quoted = (name: string) => `"${name}"`;

/** The rows that come as JSON, read as those of a table. */
const given = (table: string) => `json_populate_recordset(null::${quoted(table)}, $1)`;

/** Its answer is not waited for, as that of any other change of known rows. */
async function putRows(tx: Tx, text: string, rows: readonly object[]): Promise<void> {
  const json = JSON.stringify(rows, (_, value) => (typeof value === 'string' ? held(value) : value));
  await connectionOf(tx).changeOne({ sqlite: '', postgres: named(text) }, [json]);
}

/** JSON names what no text of PostgreSQL can hold, where a value by itself would have come as U+FFFD. */
const held = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed();
