import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * How a session was begun: by which factors, and when two of them, or a passkey that verified its user, were last proven.
 * Those that are there were begun with a password. The audit says of a sign-in by which way it came.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const time = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .alterTable('sessions')
    .addColumn('amr', text, (column) => column.notNull().defaultTo('pwd'))
    .execute();
  await db.schema.alterTable('sessions').addColumn('strongAt', time).execute();
  await db.schema.alterTable('auditEvents').addColumn('way', text).execute();
}
