import { type Kysely, sql } from 'kysely';

/** What a member owes is found without what was paid. */
const statements = [
  'drop index invoicesByMember',
  'create index invoicesByMember on invoices (memberId, paidAt, number)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
