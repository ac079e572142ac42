import { type Kysely, sql } from 'kysely';

/** What grows is read in pages, newest first, and a member has a bounded number of sign-ins with a client. */
const statements = [
  'alter table clients add column signInsPerMember integer not null default 100 check (signInsPerMember between 1 and 1000)',
  // The ids tell the time, so that a page of those that have not ended is a piece of the index.
  'drop index signInsByMember',
  'create index signInsByMember on signIns (memberId, state, id)',
  'drop index sessionsByMember',
  'create index sessionsByMember on sessions (memberId, state, id)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
