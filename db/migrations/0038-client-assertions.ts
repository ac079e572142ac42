import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** How a client says who it is, and by which keys. As before, by a secret. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Text compares by its bytes on both engines: see 0032.
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
  const add = (name: string, fallback?: string) =>
    db.schema
      .alterTable('clients')
      .addColumn(name, text, (column) =>
        fallback === undefined ? column : column.notNull().defaultTo(fallback),
      )
      .execute();
  await add('authenticationMethod', 'client_secret');
  await add('jwks');
  await add('jwksUri');
  await add('signingAlgorithms', '["ES256","PS256","EdDSA","RS256"]');
}
