import type { Kysely } from 'kysely';

/** How many members there are, and how many invoices wait, is counted by an index that has all that is asked of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('membersErasedOrNot').on('members').columns(['tenantId', 'erasedAt']).execute();
  await db.schema
    .createIndex('invoicesByDue')
    .on('invoices')
    .columns(['tenantId', 'dueAt', 'paidAt'])
    .where('paidAt', 'is', null)
    .execute();
}
