import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Whether a client's tokens are bound to a key of its own, and the key that a code or a sign-in is bound to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Text compares by its bytes on both engines: see 0032.
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const text = isPostgres ? sql`text collate "C"` : 'text';
  await db.schema
    .alterTable('clients')
    .addColumn('dpop', text, (column) => column.notNull().defaultTo('off'))
    .execute();
  await db.schema
    .alterTable('clients')
    .addColumn('dpopNonce', isPostgres ? 'bigint' : 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('authorizationCodes').addColumn('dpopJkt', text).execute();
  await db.schema.alterTable('signIns').addColumn('dpopJkt', text).execute();
}
