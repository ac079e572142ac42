import { type Kysely, PostgresAdapter } from 'kysely';

/** Which APIs clients may ask tokens for that no operator registered (decisions 50 and 53). */
export async function up(db: Kysely<unknown>): Promise<void> {
  const whole = db.getExecutor().adapter instanceof PostgresAdapter ? 'bigint' : 'integer';
  await db.schema
    .alterTable('apis')
    .addColumn('unverifiedClients', whole, (column) => column.notNull().defaultTo(0))
    .execute();
}
