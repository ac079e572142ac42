import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The answers of calls that are made once, however often they come: by the keys that came with them, and sealed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const whole = isPostgres ? 'bigint' : 'integer';
  const bytes = isPostgres ? 'bytea' : 'blob';
  await db.schema
    .createTable('callsOnce')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('owner', text, (column) => column.notNull())
    .addColumn('memberId', text)
    .addColumn('answer', bytes)
    .addColumn('createdAt', whole, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('callsOnceByAge').on('callsOnce').column('createdAt').execute();
  await db.schema.createIndex('callsOnceByMember').on('callsOnce').column('memberId').execute();
}
