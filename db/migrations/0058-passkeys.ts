import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Passkeys of members, which the tenants that are there do not have before their operators want it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const time = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .alterTable('tenants')
    .addColumn('passkeys', text, (column) => column.notNull().defaultTo('off'))
    .execute();
  await db.schema
    .createTable('passkeys')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('memberId', text, (column) => column.notNull().references('members.id'))
    .addColumn('credentialId', text, (column) => column.notNull())
    .addColumn('publicKey', text, (column) => column.notNull())
    .addColumn('counter', time, (column) => column.notNull())
    .addColumn('isSynced', 'integer', (column) => column.notNull())
    .addColumn('isBackedUp', 'integer', (column) => column.notNull())
    .addColumn('transports', text, (column) => column.notNull())
    .addColumn('aaguid', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('lastUsedAt', time)
    .addColumn('userAgent', text, (column) => column.notNull())
    .addColumn('ipAddress', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('passkeysByCredential')
    .unique()
    .on('passkeys')
    .columns(['tenantId', 'credentialId'])
    .execute();
  await db.schema.createIndex('passkeysByMember').on('passkeys').columns(['memberId', 'id']).execute();
}
