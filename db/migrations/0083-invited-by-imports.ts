import { type Kysely, PostgresAdapter } from 'kysely';

/** How many of the new members of an import were invited by mail. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .alterTable('imports')
    .addColumn('invited', isPostgres ? 'bigint' : 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
