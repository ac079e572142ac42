import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** How far the audit was streamed to each place. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('auditStreams')
    .addColumn('place', text, (column) => column.primaryKey())
    .addColumn('until', whole, (column) => column.notNull())
    .execute();
}
