import type { Kysely } from 'kysely';

/** What one process remembers in its memory, and several on one database remember here. On SQLite it stays empty. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('counters')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('endsAt', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('countersByEnd').on('counters').column('endsAt').execute();

  await db.schema
    .createTable('pollTimes')
    .addColumn('deviceCodeId', 'text', (column) => column.primaryKey())
    .addColumn('polledAt', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('slowedEntries')
    .addColumn('tenantId', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('memberId', 'text', (column) => column.notNull().references('members.id'))
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('isKnown', 'bigint', (column) => column.notNull())
    .addColumn('isRight', 'bigint', (column) => column.notNull())
    .addColumn('overAt', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('slowedEntries_pkey', ['tenantId', 'memberId'])
    .execute();
  await db.schema
    .createIndex('slowedEntriesByTenantAndEnd')
    .on('slowedEntries')
    .columns(['tenantId', 'overAt'])
    .execute();

  await db.schema
    .alterTable('remembered')
    .addColumn('bannedUntil', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
