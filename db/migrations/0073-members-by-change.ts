import type { Kysely } from 'kysely';

/** The members of a tenant in the order in which they were changed, for those who follow them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('membersByChange')
    .on('members')
    .columns(['tenantId', 'updatedAt', 'id'])
    .execute();
}
