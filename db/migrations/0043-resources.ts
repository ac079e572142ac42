import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The APIs that a code, a sign-in or a consent is for: identifiers with spaces between; empty for the member API. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
  for (const table of ['authorizationCodes', 'deviceCodes', 'signIns', 'scopeConsents']) {
    await db.schema
      .alterTable(table)
      .addColumn('resources', text, (column) => column.notNull().defaultTo(''))
      .execute();
  }
}
