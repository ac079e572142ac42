import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Where the current refresh token of a sign-in was given to, and what the return of a used one most likely was. The index
 * holds the sign-ins that ended so and no other: a refresh costs no entry of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  for (const column of ['holderNetwork', 'holderProgram', 'reuse']) {
    await db.schema.alterTable('signIns').addColumn(column, text).execute();
  }
  await db.schema
    .createIndex('signInsByReuse')
    .on('signIns')
    .columns(['tenantId', 'clientId', 'endedAt', 'id', 'reuse'])
    .where('reuse', 'is not', null)
    .execute();
}
