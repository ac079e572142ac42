import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * What an operator who helps a member asks for: what is refused is found by the reference that its page shows, what
 * happened to a member and what was mailed to her by the member, a member by her telephone number, and a checkout by
 * what its payment is called where it was made.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const time = isPostgres ? 'bigint' : 'integer';
  for (const column of ['reference', 'browser', 'memberId']) {
    await db.schema.alterTable('auditEvents').addColumn(column, text).execute();
  }
  // Nearly all events have neither: no index entry is written for them.
  await db.schema
    .createIndex('auditEventsByReference')
    .on('auditEvents')
    .columns(['tenantId', 'reference', 'at'])
    .where('reference', 'is not', null)
    .execute();
  await db.schema
    .createIndex('auditEventsByMember')
    .on('auditEvents')
    .columns(['tenantId', 'memberId', 'at'])
    .where('memberId', 'is not', null)
    .execute();
  await db.schema
    .createIndex('checkoutsByPaymentReference')
    .on('checkouts')
    .columns(['tenantId', 'paymentReference'])
    .where('paymentReference', 'is not', null)
    .execute();
  await db.schema.alterTable('mails').addColumn('memberId', text).execute();
  await db.schema
    .createIndex('mailsByMember')
    .on('mails')
    .columns(['memberId', 'createdAt'])
    .where('memberId', 'is not', null)
    .execute();
  // 0: not known. null: none was chosen yet.
  await db.schema
    .alterTable('members')
    .addColumn('passwordSince', time, (column) => column.defaultTo(0))
    .execute();
  await findByPhone(db);
}

/** The digits of each number as a word that its member is found by, with its calling code and without. */
async function findByPhone(db: Kysely<unknown>): Promise<void> {
  for (const from of [2, 3, 4, 5]) {
    await sql`
      insert into ${sql.table('memberWords')} (${sql.ref('tenantId')}, word, ${sql.ref('memberId')})
      select ${sql.ref('tenantId')}, '+' || substr(phone, ${sql.lit(from)}), id from members
      where length(phone) >= ${sql.lit(from + 4)} and ${sql.ref('erasedAt')} is null
      on conflict do nothing`.execute(db);
  }
}
