import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Claims that a client asks for by name: whether it may, and what is kept of them with codes and sign-ins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const [flag, text] = isPostgres
    ? [sql`bigint`, sql`text collate "C"`]
    : [sql`integer check (claimsParameter in (0, 1))`, sql`text`];
  await db.schema
    .alterTable('clients')
    .addColumn('claimsParameter', flag, (column) => column.notNull().defaultTo(0))
    .execute();
  for (const table of ['authorizationCodes', 'signIns']) {
    await db.schema.alterTable(table).addColumn('claims', text).execute();
  }
}
