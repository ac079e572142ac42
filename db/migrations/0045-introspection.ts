import { type Kysely, PostgresAdapter } from 'kysely';

/** Whether a client may ask what a token says and whether it lives (RFC 7662). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // As the other columns of this table are, on either engine.
  const flag = db.getExecutor().adapter instanceof PostgresAdapter ? 'bigint' : 'integer';
  await db.schema
    .alterTable('clients')
    .addColumn('introspection', flag, (column) => column.notNull().defaultTo(0))
    .execute();
}
