import { type Kysely, sql } from 'kysely';

/** What a change changed stands beside the event, as JSON; nearly all events have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table auditEvents add column changes text`.execute(db);
}
