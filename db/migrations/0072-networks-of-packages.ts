import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The ranges of IP addresses that a package opens for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  await db.schema
    .alterTable('packages')
    .addColumn('networks', text, (column) => column.notNull().defaultTo('[]'))
    .execute();
}
