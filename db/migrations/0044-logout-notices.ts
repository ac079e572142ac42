import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Where clients are told that a member signed out, and what they are told (Back-Channel Logout 1.0). */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const count = isPostgres ? 'bigint' : 'integer';
  await db.schema.alterTable('clients').addColumn('backchannelLogoutUri', text).execute();
  await db.schema
    .createTable('logoutNotices')
    .addColumn('id', count, (column) =>
      isPostgres ? column.generatedByDefaultAsIdentity().primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('clientId', text, (column) => column.notNull())
    .addColumn('memberId', text, (column) => column.notNull())
    .addColumn('sessionId', text, (column) => column.notNull())
    .addColumn('state', text, (column) =>
      column.notNull().check(sql`state in ('waiting', 'delivered', 'given_up')`),
    )
    .addColumn('attempts', count, (column) => column.notNull())
    .addColumn('nextAttemptAt', count, (column) => column.notNull())
    .addColumn('lastResult', text)
    .addColumn('endedAt', count, (column) => column.notNull())
    .addColumn('doneAt', count)
    .execute();
  // One waits for a client and a session at most: a later end takes the place of an earlier one that waits.
  await db.schema
    .createIndex('logoutNoticesWaiting')
    .unique()
    .on('logoutNotices')
    .columns(['sessionId', 'clientId'])
    .where(sql<boolean>`state = 'waiting'`)
    .execute();
  await db.schema
    .createIndex('logoutNoticesByState')
    .on('logoutNotices')
    .columns(['state', 'nextAttemptAt'])
    .execute();
  await db.schema
    .createIndex('logoutNoticesByClient')
    .on('logoutNotices')
    .columns(['tenantId', 'clientId', 'id'])
    .execute();
}
