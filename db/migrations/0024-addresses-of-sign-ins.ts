import { type Kysely, sql } from 'kysely';

/** Who holds the pending codes of a client, and from which addresses sign-ins were finished. */
const statements = [
  'drop index deviceCodesByState',
  // With what is asked of pending codes, so that their rows are not read.
  'create index deviceCodesByState on deviceCodes (tenantId, state, expiresAt, clientId, ipAddress)',
  `create index deviceCodesUsedByAddress on deviceCodes (tenantId, ipAddress) where state = 'used'`,
  'create index sessionsByAddress on sessions (tenantId, ipAddress)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
