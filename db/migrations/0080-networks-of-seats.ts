import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The ranges of IP addresses from which the seats of a subscription may be taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('seatNetworks')
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('network', text, (column) => column.notNull())
    .addColumn('subscriptionId', whole, (column) => column.notNull().references('seatGroups.subscriptionId'))
    .addPrimaryKeyConstraint('seatNetworks_pkey', ['tenantId', 'network', 'subscriptionId'])
    .execute();
  await db.schema
    .createIndex('seatNetworksBySubscription')
    .on('seatNetworks')
    .columns(['subscriptionId'])
    .execute();
}
