import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Whether a client gets tokens for itself, and with which scopes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .alterTable('clients')
    .addColumn('clientCredentials', isPostgres ? 'bigint' : 'integer', (column) =>
      column.notNull().defaultTo(0),
    )
    .execute();
  await db.schema
    .alterTable('clients')
    .addColumn('serviceScopes', isPostgres ? sql`text collate "C"` : 'text', (column) =>
      column.notNull().defaultTo('[]'),
    )
    .execute();
}
