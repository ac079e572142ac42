import { type Kysely, PostgresAdapter } from 'kysely';

/** Whether a client may have the answers to its authorization requests signed (JARM). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // As the other columns of this table are, on either engine.
  const flag = db.getExecutor().adapter instanceof PostgresAdapter ? 'bigint' : 'integer';
  await db.schema
    .alterTable('clients')
    .addColumn('signedResponses', flag, (column) => column.notNull().defaultTo(0))
    .execute();
}
