import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Columns of tables that were made after the first ones, and compare by the language of the database. */
const later = {
  counters: ['key'],
  leases: ['name', 'holder'],
  pollTimes: ['deviceCodeId'],
  slowedEntries: ['tenantId', 'memberId', 'address', 'network'],
} as const;

/**
 * Compares them by their bytes, as all other text, and as SQLite does anyway. An index of one language finds nothing by a column of another: each
 * poll of a device read all of `pollTimes`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  for (const [table, columns] of Object.entries(later)) {
    for (const column of columns) {
      await db.schema
        .alterTable(table)
        .alterColumn(column, (changed) => changed.setDataType(sql`text collate "C"`))
        .execute();
    }
  }
}
