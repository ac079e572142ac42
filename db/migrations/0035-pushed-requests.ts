import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Authorization requests that clients push, and whether a client may, or must (RFC 9126). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // On PostgreSQL text compares by its bytes, as on SQLite.
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
  await db.schema
    .createTable('pushedRequests')
    .addColumn('hash', text, (column) => column.primaryKey())
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('clientId', text, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('pushedRequestsByEnd').on('pushedRequests').column('expiresAt').execute();
  await db.schema
    .alterTable('clients')
    .addColumn('pushedRequests', text, (column) => column.notNull().defaultTo('off'))
    .execute();
}
