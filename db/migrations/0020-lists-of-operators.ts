import { type Kysely, sql } from 'kysely';

/** Lists of operators are read in pages: tokens in the order of their ids, and what is owed without what was paid. */
const statements = [
  'drop index adminTokensByTenant',
  'create index adminTokensByTenant on adminTokens (tenantId, id)',
  'create index invoicesUnpaid on invoices (tenantId, number) where paidAt is null',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
