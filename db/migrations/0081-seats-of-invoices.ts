import { type Kysely, PostgresAdapter } from 'kysely';

/** With how many seats an invoice was ordered: a subscription may have another number since. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .alterTable('invoices')
    .addColumn('seats', isPostgres ? 'bigint' : 'integer')
    .execute();
}
