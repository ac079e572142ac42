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
    const tables = await sql<{ name: string }>`
      select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name
    `.execute(tx);
    const rows: Record<string, readonly unknown[]> = {};
    for (const { name } of tables.rows.filter((table) => !except.includes(table.name))) {
      rows[name] = (await sql`select * from ${sql.table(name)} order by 1`.execute(tx)).rows;
    }
    return rows;
  });
}
