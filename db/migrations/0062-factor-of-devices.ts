import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Whether a TV is approved only by who has just proven who she is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  await db.schema
    .alterTable('tenants')
    .addColumn('deviceFactor', text, (column) => column.notNull().defaultTo('off'))
    .execute();
}
