import { type Kysely, sql } from 'kysely';

const statements = [
  // Who agreed to what, and when: of a tenant, and of one consent, newest first.
  'create index consentChangesByTenant on consentChanges (tenantId, status, changedAt)',
  'create index consentChangesByAnswer on consentChanges (tenantId, consentId, status, changedAt)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
