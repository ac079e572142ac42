import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The other providers whose accounts members sign in with, and which account is whose. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const bytes = isPostgres ? 'bytea' : 'blob';
  const time = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('identityProviders')
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('preset', text, (column) => column.notNull())
    .addColumn('issuer', text, (column) => column.notNull())
    .addColumn('clientId', text, (column) => column.notNull())
    .addColumn('teamId', text)
    .addColumn('keyId', text)
    .addColumn('secret', bytes)
    .addColumn('secretId', text)
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('trustsVerifiedEmail', 'integer', (column) => column.notNull())
    .addColumn('keepTokens', 'integer', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('disabledAt', time)
    .addPrimaryKeyConstraint('identityProviders_pkey', ['tenantId', 'key'])
    .execute();
  await db.schema
    .createTable('linkedAccounts')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('tenantId', text, (column) => column.notNull())
    .addColumn('memberId', text, (column) => column.notNull().references('members.id'))
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('issuer', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('email', text, (column) => column.notNull())
    .addColumn('linkedAt', time, (column) => column.notNull())
    .addColumn('lastUsedAt', time, (column) => column.notNull())
    .addColumn('tokens', bytes)
    .addForeignKeyConstraint('linkedAccounts_provider_fkey', ['tenantId', 'provider'], 'identityProviders', [
      'tenantId',
      'key',
    ])
    .execute();
  await db.schema
    .createIndex('linkedAccountsBySubject')
    .on('linkedAccounts')
    .columns(['tenantId', 'provider', 'issuer', 'subject'])
    .unique()
    .execute();
  await db.schema
    .createIndex('linkedAccountsByMember')
    .on('linkedAccounts')
    .columns(['memberId', 'id'])
    .execute();
}
