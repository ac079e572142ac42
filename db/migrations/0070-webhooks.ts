import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Where a business is told of events, and what it was told or waits to be told there (Standard Webhooks). */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  const bytes = isPostgres ? 'bytea' : 'blob';
  await db.schema
    .createTable('webhookEndpoints')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('types', text)
    .addColumn('secret', bytes)
    .addColumn('previousSecret', bytes)
    .addColumn('previousUntil', whole)
    .addColumn('position', whole, (column) => column.notNull())
    .addColumn('createdAt', whole, (column) => column.notNull())
    .addColumn('disabledAt', whole)
    .addColumn('disabledReason', text)
    .execute();
  await db.schema
    .createIndex('webhookEndpointsByTenant')
    .on('webhookEndpoints')
    .columns(['tenantId', 'id'])
    .execute();
  await db.schema
    .createTable('webhookDeliveries')
    .addColumn('id', whole, (column) =>
      isPostgres ? column.generatedByDefaultAsIdentity().primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('endpointId', text, (column) => column.notNull().references('webhookEndpoints.id'))
    .addColumn('kind', text, (column) => column.notNull().check(sql`kind in ('event', 'again', 'test')`))
    .addColumn('eventId', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('memberId', text)
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('state', text, (column) =>
      column.notNull().check(sql`state in ('held', 'waiting', 'delivered', 'failed')`),
    )
    .addColumn('attempts', whole, (column) => column.notNull())
    .addColumn('nextAttemptAt', whole, (column) => column.notNull())
    .addColumn('createdAt', whole, (column) => column.notNull())
    .addColumn('firstAt', whole)
    .addColumn('lastAt', whole)
    .addColumn('lastResult', text)
    .addColumn('answer', text)
    .execute();
  await db.schema
    .createIndex('webhookDeliveriesByState')
    .on('webhookDeliveries')
    .columns(['state', 'nextAttemptAt'])
    .execute();
  await db.schema
    .createIndex('webhookDeliveriesByEndpoint')
    .on('webhookDeliveries')
    .columns(['endpointId', 'id'])
    .execute();
  await db.schema
    .createIndex('webhookDeliveriesInOrder')
    .on('webhookDeliveries')
    .columns(['endpointId', 'memberId', 'id'])
    .where(sql<boolean>`state in ('held', 'waiting')`)
    .execute();
}
