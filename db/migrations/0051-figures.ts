import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Figures over time, rolled up from what happened and from what there is; how far that has got; and which operation an
 * event of the audit is of, which its reason alone said so far.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('figures')
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('unit', text, (column) => column.notNull().check(sql`unit in ('hour', 'day')`))
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('value', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('figures_pkey', ['tenantId', 'unit', 'at', 'name'])
    // Read in the order of the key, a year at a time.
    .$call((table) => (isPostgres ? table : table.modifyEnd(sql`without rowid`)))
    .execute();
  await db.schema
    .createTable('rolledUp')
    .addColumn('what', text, (column) => column.primaryKey().check(sql`what in ('events', 'levels')`))
    .addColumn('until', whole, (column) => column.notNull())
    .execute();
  await db.schema.alterTable('auditEvents').addColumn('operation', text).execute();
  await sql`
    update ${sql.table('auditEvents')} set operation = reason
    where event = 'admin_acted' and reason like '%.%' and reason not like '% %'`.execute(db);
}
