import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Members who move in: the hashes that other systems made of their passwords, what other systems call them, and the files
 * they come in while those are read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const number = isPostgres ? 'bigint' : 'integer';
  await db.schema.alterTable('members').addColumn('externalId', text).execute();
  await db.schema.alterTable('members').addColumn('oldHashUnit', text).execute();
  await db.schema.alterTable('members').addColumn('oldHashWork', number).execute();
  // A member who did not move in costs neither an entry.
  await db.schema
    .createIndex('membersByExternalId')
    .unique()
    .on('members')
    .columns(['tenantId', 'externalId'])
    .where('externalId', 'is not', null)
    .execute();
  await db.schema
    .createIndex('membersByOldHash')
    .on('members')
    .columns(['tenantId', 'oldHashUnit', 'oldHashWork'])
    .where('oldHashUnit', 'is not', null)
    .execute();
  await db.schema
    .createTable('imports')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('fileName', text, (column) => column.notNull())
    .addColumn('fileHash', text, (column) => column.notNull())
    .addColumn('fileBytes', number, (column) => column.notNull())
    .addColumn('received', number, (column) => column.notNull())
    .addColumn('options', text, (column) => column.notNull())
    .addColumn('place', text)
    .addColumn('readTo', number, (column) => column.notNull())
    .addColumn('line', number, (column) => column.notNull())
    .addColumn('added', number, (column) => column.notNull())
    .addColumn('changed', number, (column) => column.notNull())
    .addColumn('skipped', number, (column) => column.notNull())
    .addColumn('refused', number, (column) => column.notNull())
    .addColumn('actorKind', text, (column) => column.notNull())
    .addColumn('actorId', text)
    .addColumn('actorAddress', text)
    .addColumn('createdAt', number, (column) => column.notNull())
    .addColumn('startedAt', number)
    .addColumn('endedAt', number)
    .addColumn('failure', text)
    .execute();
  await db.schema
    .createIndex('importsOfTenant')
    .on('imports')
    .columns(['tenantId', 'createdAt', 'id'])
    .execute();
  await db.schema
    .createTable('importRefusals')
    .addColumn('importId', text, (column) => column.notNull().references('imports.id'))
    .addColumn('line', number, (column) => column.notNull())
    .addColumn('problems', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('importRefusals_pkey', ['importId', 'line'])
    .execute();
}
