import type { Kysely } from 'kysely';

/** Events lie in the order of their times, so those that are over are found without an index of times. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('eventsByTime').execute();
}
