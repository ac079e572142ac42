import { sql } from 'kysely';
import type { TestService } from '../service.ts';

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
    for (const { name } of tables.filter((table) => !except.includes(table.name))) {
      rows[name] = (await sql`select * from ${sql.table(name)} order by 1`.execute(tx)).rows;
    }
    return rows;
  });
}
