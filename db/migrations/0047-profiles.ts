import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** What a client is held to as a whole, such as FAPI 2.0. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // On PostgreSQL text compares by its bytes, as on SQLite.
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
  await db.schema
    .alterTable('clients')
    .addColumn('profile', text, (column) => column.notNull().defaultTo('none'))
    .execute();
}
