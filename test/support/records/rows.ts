import { sql } from 'kysely';
import type { Tx } from '../../../src/storage/store.ts';
import type { TestService } from '../service.ts';

/** What processes tell each other: that they must read anew, and what one alone has in its memory. */
const besideRecords = ['remembered', 'counters', 'pollTimes'];

/** A table, and its columns by their places: rows come in one order, whatever the engine finds first. */
interface Table {
  readonly name: string;
  readonly order: string;
}

type Rows = Readonly<Record<string, readonly unknown[]>>;

/** The tables of each store that was asked: no request changes them, and to find them takes longer than to read them. */
const known = new WeakMap<object, readonly Table[]>();

/**
 * Every row of every table, as it is stored: what a request that must change nothing leaves as it was, but
 * for the line of the audit that says so.
 *
 * @param except tables to leave out; the audit where none are named
 */
export function allRows(
  { store }: Pick<TestService, 'store'>,
  except: readonly string[] = ['auditEvents'],
): Promise<Rows> {
  return store.transaction(async (tx) => {
    const tables = known.get(store) ?? (await tablesOf(tx));
    known.set(store, tables);
    const wanted = tables.filter(({ name }) => ![...except, ...besideRecords].includes(name));
    const filled = await filledOf(tx, wanted);
    const rows: Record<string, readonly unknown[]> = {};
    for (const { name, order } of wanted) {
      const all = sql`select * from ${sql.table(name)} order by ${sql.raw(order)}`;
      rows[name] = filled.has(name) ? (await all.execute(tx)).rows : [];
    }
    return rows;
  });
}

/** A row as a text: bytes as `bytes BASE64`, since as JSON they are a list of numbers, which takes long to write. */
export function rowAsText(row: unknown): string {
  const told = Object.entries(row as object).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? `bytes ${Buffer.from(value).toString('base64')}` : value,
  ]);
  return JSON.stringify(Object.fromEntries(told));
}

/** All rows as a text with a line for each: to compare two of these takes less than to compare what they are of. */
export const rowsAsText = (rows: Rows): string =>
  Object.entries(rows)
    .flatMap(([table, all]) => all.map((row) => `${table} ${rowAsText(row)}`))
    .join('\n');

async function tablesOf(tx: Tx): Promise<readonly Table[]> {
  const tables = await tx.introspection.getTables({ withInternalKyselyTables: true });
  return tables.map(({ name, columns }) => ({
    name,
    order: columns.map((_column, index) => index + 1).join(),
  }));
}

/** The names of the tables that have any row: most have none. */
async function filledOf(tx: Tx, tables: readonly Table[]): Promise<ReadonlySet<unknown>> {
  const each = tables.map(
    ({ name }) => sql`select ${sql.lit(name)} as name where exists (select 1 from ${sql.table(name)})`,
  );
  const { rows } = await sql<{ name: string }>`${sql.join(each, sql` union all `)}`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}
