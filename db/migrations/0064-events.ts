import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * What a business is told of, and how far the numbers of that have got. Subscriptions whose time has come or gone by now are
 * as the clock says: from here on each is told once, when it happens.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('events')
    .addColumn('seq', whole, (column) =>
      isPostgres ? column.generatedByDefaultAsIdentity().primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('number', whole)
    .addColumn('id', text)
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('memberId', text)
    .addColumn('subject', text)
    .addColumn('clientId', text)
    .addColumn('detail', text)
    .addColumn('changed', text)
    .execute();
  await db.schema
    .createIndex('eventsByNumber')
    .unique()
    .on('events')
    .columns(['tenantId', 'number'])
    .where(sql<boolean>`number is not null`)
    .execute();
  await db.schema
    .createIndex('eventsWithoutNumber')
    .on('events')
    .column('seq')
    .where(sql<boolean>`number is null`)
    .execute();
  await db.schema
    .createIndex('eventsByMember')
    .on('events')
    .columns(['memberId', 'seq'])
    .where(sql<boolean>`${sql.ref('memberId')} is not null`)
    .execute();
  await db.schema.createIndex('eventsByTime').on('events').column('at').execute();
  await db.schema
    .createTable('eventNumbers')
    .addColumn('tenantId', text, (column) => column.primaryKey().references('tenants.id'))
    .addColumn('last', whole, (column) => column.notNull())
    .execute();
  await settle(db);
  for (const time of ['activatedAt', 'expiresAt']) {
    await db.schema
      .createIndex(`subscriptionsBy${time === 'activatedAt' ? 'Beginning' : 'End'}`)
      .on('subscriptions')
      .columns(['state', time])
      .execute();
  }
}

async function settle(db: Kysely<unknown>): Promise<void> {
  const now = Date.now();
  const subscriptions = sql.table('subscriptions');
  await sql`
    update ${subscriptions} set state = 'expired'
    where state in ('pending', 'active', 'cancelled') and ${sql.ref('expiresAt')} <= ${now}`.execute(db);
  await sql`
    update ${subscriptions} set state = 'active'
    where state = 'pending' and ${sql.ref('activatedAt')} <= ${now}`.execute(db);
}
