import { sql } from 'kysely';
import type { Tx } from '../../../src/storage/store.ts';

/**
 * Inserts so many copies of a table's first row.
 *
 * @param own what each copy has of its own, by column, as SQL in which `n` counts from 1
 */
export async function insertCopies(
  tx: Tx,
  table: string,
  count: number,
  own: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(tx);
  const names = rows.map(({ name }) => `"${name}"`).join();
  const values = rows.map(({ name }) => own[name] ?? `"${name}"`).join();
  await sql
    .raw(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      insert into ${table} (${names}) select ${values} from numbers, (select * from ${table} limit 1)`)
    .execute(tx);
}

const copy = "'copy ' || n";

/** Inserts so many sign-ins that were over long ago, each with a session of its own and the code it began with. */
export async function insertOverSignIns(tx: Tx, count: number): Promise<void> {
  await insertCopies(tx, 'sessions', count, { id: copy, secretHash: copy, lastUsedAt: '1' });
  await insertCopies(tx, 'signIns', count, { id: copy, sessionId: copy, createdAt: '1', rotatedAt: '1' });
  await insertCopies(tx, 'authorizationCodes', count, {
    hash: copy,
    sessionId: copy,
    signInId: copy,
    state: "'used'",
  });
}
