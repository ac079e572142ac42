import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Clients that no operator registered (decision 50): what a tenant allows, what such a client is, and what is banned. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // On PostgreSQL text compares by its bytes (0032).
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const text = isPostgres ? sql`text collate "C"` : 'text';
  // The first tables of SQLite are strict, and know no bigint.
  const whole = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .alterTable('tenants')
    .addColumn('clientRegistration', text, (column) => column.notNull().defaultTo('off'))
    .execute();
  await db.schema
    .alterTable('tenants')
    .addColumn('clientMetadataDocuments', text, (column) => column.notNull().defaultTo('off'))
    .execute();
  await db.schema
    .alterTable('tenants')
    .addColumn('clientMetadataHosts', text, (column) => column.notNull().defaultTo('[]'))
    .execute();
  await db.schema
    .alterTable('tenants')
    .addColumn('unverifiedOfflineAccess', whole, (column) => column.notNull().defaultTo(0))
    .execute();

  await db.schema
    .alterTable('clients')
    .addColumn('origin', text, (column) => column.notNull().defaultTo('operator'))
    .execute();
  for (const name of ['claimedName', 'registrationTokenHash']) {
    await db.schema.alterTable('clients').addColumn(name, text).execute();
  }
  for (const name of ['lastUsedAt', 'freshUntil']) {
    await db.schema.alterTable('clients').addColumn(name, whole).execute();
  }
  await db.schema
    .createIndex('clientsUnverified')
    .on('clients')
    .columns(['tenantId', 'lastUsedAt', 'createdAt'])
    .where(sql.ref('origin'), '<>', sql.lit('operator'))
    .execute();

  await db.schema
    .createTable('clientBans')
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('banned', text, (column) => column.notNull())
    .addColumn('bannedAt', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('clientBans_pkey', ['tenantId', 'banned'])
    .execute();
  await db.schema
    .createTable('registrationTokens')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('secretHash', text, (column) => column.notNull().unique())
    .addColumn('usesLeft', 'bigint', (column) => column.notNull())
    .addColumn('createdAt', 'bigint', (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('registrationTokensByTenant')
    .on('registrationTokens')
    .columns(['tenantId', 'id'])
    .execute();
}
