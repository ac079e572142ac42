import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Subscriptions that give access to more members than their holder: how many, at which domains, and who has a seat. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  await db.schema.alterTable('packages').addColumn('seats', whole).execute();
  await db.schema
    .createTable('seatGroups')
    .addColumn('subscriptionId', whole, (column) => column.primaryKey().references('subscriptions.id'))
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('seats', whole, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('seatGroupsByTenant')
    .on('seatGroups')
    .columns(['tenantId', 'subscriptionId'])
    .execute();
  await db.schema
    .createTable('seatDomains')
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('domain', text, (column) => column.notNull())
    .addColumn('subscriptionId', whole, (column) => column.notNull().references('seatGroups.subscriptionId'))
    .addPrimaryKeyConstraint('seatDomains_pkey', ['tenantId', 'domain', 'subscriptionId'])
    .execute();
  await db.schema
    .createIndex('seatDomainsBySubscription')
    .on('seatDomains')
    .columns(['subscriptionId'])
    .execute();
  await db.schema
    .createTable('seats')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('subscriptionId', whole, (column) => column.notNull().references('seatGroups.subscriptionId'))
    .addColumn('state', text, (column) =>
      column.notNull().check(sql`state in ('invited', 'taken', 'expired', 'ended')`),
    )
    .addColumn('email', text, (column) => column.notNull())
    .addColumn('memberId', text, (column) => column.references('members.id'))
    .addColumn('invitedAt', whole, (column) => column.notNull())
    .addColumn('expiresAt', whole, (column) => column.notNull())
    .addColumn('takenAt', whole)
    .addColumn('endedAt', whole)
    .addColumn('endedBy', text, (column) =>
      column.check(sql`"endedBy" in ('holder', 'member', 'operator', 'subscription')`),
    )
    .execute();
  await db.schema.createIndex('seatsBySubscription').on('seats').columns(['subscriptionId', 'id']).execute();
  // An address is kept one seat of a subscription, and a member has one at a time.
  await db.schema
    .createIndex('seatsByAddress')
    .unique()
    .on('seats')
    .columns(['tenantId', 'email', 'subscriptionId'])
    .where(sql<boolean>`state = 'invited'`)
    .execute();
  await db.schema
    .createIndex('seatsByMember')
    .on('seats')
    .columns(['memberId', 'subscriptionId'])
    .where('memberId', 'is not', null)
    .execute();
  await db.schema
    .createIndex('seatsInUse')
    .unique()
    .on('seats')
    .columns(['subscriptionId', 'memberId'])
    .where(sql<boolean>`state = 'taken'`)
    .execute();
  await db.schema
    .createIndex('seatsToForget')
    .on('seats')
    .columns(['endedAt'])
    .where('endedAt', 'is not', null)
    .execute();
  await db.schema
    .createIndex('seatInvitationsToForget')
    .on('seats')
    .columns(['expiresAt'])
    .where(sql<boolean>`state = 'invited'`)
    .execute();
}
