import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * The second factor of a member, whom a tenant asks for one, and the browsers that are trusted without it. Of tenants that
 * are there members are asked for none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const time = isPostgres ? 'bigint' : 'integer';
  for (const [column, value] of [
    ['secondFactor', 'off'],
    ['adminSecondFactor', 'required'],
  ] as const) {
    await db.schema
      .alterTable('tenants')
      .addColumn(column, text, (one) => one.notNull().defaultTo(value))
      .execute();
  }
  await db.schema
    .alterTable('tenants')
    .addColumn('trustedBrowserDays', time, (column) => column.notNull().defaultTo(30))
    .execute();
  await db.schema
    .createTable('secondFactors')
    .addColumn('memberId', text, (column) => column.primaryKey().references('members.id'))
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('secret', isPostgres ? 'bytea' : 'blob', (column) => column.notNull())
    .addColumn('lastStep', 'bigint', (column) => column.notNull())
    .addColumn('recoveryHashes', text, (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('knownBrowsers').addColumn('trustedUntil', time).execute();
}
