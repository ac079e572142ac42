import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The APIs of a tenant, and which of them a client may ask tokens for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
  await db.schema
    .createTable('apis')
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('identifier', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('accessTokenAlgorithm', text, (column) =>
      column.notNull().check(sql`${sql.ref('accessTokenAlgorithm')} in ('ES256', 'RS256')`),
    )
    .addPrimaryKeyConstraint('apis_pkey', ['tenantId', 'identifier'])
    .execute();
  await db.schema
    .alterTable('clients')
    .addColumn('apis', text, (column) => column.notNull().defaultTo('[]'))
    .execute();
}
