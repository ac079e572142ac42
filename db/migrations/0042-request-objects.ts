import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Whether a client may sign its authorization requests, or must (RFC 9101). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // On PostgreSQL text compares by its bytes, as on SQLite.
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
  await db.schema
    .alterTable('clients')
    .addColumn('requestObjects', text, (column) => column.notNull().defaultTo('off'))
    .execute();
}
