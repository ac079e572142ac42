import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** What prices include of a tax, which packages are renewed, and how invoices are paid, each as it said then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // On PostgreSQL text compares by its bytes (0032).
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  for (const table of ['packages', 'invoices']) {
    await db.schema
      .alterTable(table)
      .addColumn('taxName', text, (column) => column.notNull().defaultTo(''))
      .execute();
    // In hundredths of a percent.
    await db.schema.alterTable(table).addColumn('taxRate', whole).execute();
  }
  await db.schema
    .alterTable('packages')
    .addColumn('renews', whole, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('invoices').addColumn('payTo', text).execute();
  await db.schema
    .alterTable('tenants')
    .addColumn('invoicing', text, (column) => column.notNull().defaultTo('{}'))
    .execute();
}
