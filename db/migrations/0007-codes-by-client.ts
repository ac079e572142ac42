import { type Kysely, sql } from 'kysely';

/** A client that is disabled takes the codes along that it has not exchanged: this finds them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index authorizationCodesByClient on authorizationCodes (tenantId, clientId) where state = 'issued'
  `.execute(db);
}
