import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Each attempt to tell a webhook of something, and what finds those that fail and the one that has waited longest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('webhookAttempts')
    .addColumn('id', whole, (column) =>
      isPostgres ? column.generatedByDefaultAsIdentity().primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('endpointId', text, (column) => column.notNull().references('webhookEndpoints.id'))
    .addColumn('deliveryId', whole, (column) => column.notNull())
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('took', whole, (column) => column.notNull())
    .addColumn('result', text, (column) => column.notNull())
    .addColumn('answer', text)
    .execute();
  await db.schema
    .createIndex('webhookAttemptsByDelivery')
    .on('webhookAttempts')
    .columns(['endpointId', 'deliveryId', 'id'])
    .execute();
  await db.schema.createIndex('webhookAttemptsByTime').on('webhookAttempts').column('at').execute();
  await db.schema
    .createIndex('webhookDeliveriesFailing')
    .on('webhookDeliveries')
    .columns(['endpointId', 'firstAt'])
    .where(sql<boolean>`state = 'waiting' and ${sql.ref('firstAt')} is not null`)
    .execute();
  await db.schema
    .createIndex('webhookDeliveriesWaiting')
    .on('webhookDeliveries')
    .column('createdAt')
    .where(sql<boolean>`state = 'waiting'`)
    .execute();
}
