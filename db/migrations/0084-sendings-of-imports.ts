import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** What the sender of a file calls this sending of it, so that parts of two files are never put together. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const text = isPostgres ? sql`text collate "C"` : 'text';
  await db.schema.alterTable('imports').addColumn('sending', text).execute();
}
