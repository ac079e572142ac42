import type { Kysely } from 'kysely';

/** What one of several processes does at a time, such as rotating the keys: which does it, and until when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('leases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}
