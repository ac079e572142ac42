import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The ids of what others signed for one use, such as the `jti` of a client's assertion. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Text compares by its bytes on both engines: see 0032.
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : 'text';
  await db.schema
    .createTable('usedIds')
    .addColumn('tenantId', text, (column) => column.notNull())
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('expiresAt', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usedIds_pkey', ['tenantId', 'purpose', 'hash'])
    .execute();
  await db.schema.createIndex('usedIdsByEnd').on('usedIds').column('expiresAt').execute();
}
