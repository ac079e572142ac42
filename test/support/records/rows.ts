import { sql } from 'kysely';
import type { TestService } from '../service.ts';

/** What processes tell each other: that they must read anew, and what one alone has in its memory. */
const besideRecords = ['remembered', 'counters', 'pollTimes'];

/**
 * Every row of every table, as it is stored: what a request that must change nothing leaves as it was, but
 * for the line of the audit that says so.
 *
 * @param except tables to leave out; the audit where none are named
 */
export function allRows(
  { store }: Pick<TestService, 'store'>,
  except: readonly string[] = ['auditEvents'],
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  return store.transaction(async (tx) => {
    const tables = await tx.introspection.getTables({ withInternalKyselyTables: true });
    const rows: Record<string, readonly unknown[]> = {};
    for (const { name, columns } of tables.filter(
      (table) => ![...except, ...besideRecords].includes(table.name),
    )) {
      // In one order, whatever the engine finds first.
      const order = sql.raw(columns.map((_column, index) => index + 1).join());
      rows[name] = (await sql`select * from ${sql.table(name)} order by ${order}`.execute(tx)).rows;
    }
    return rows;
  });
}
