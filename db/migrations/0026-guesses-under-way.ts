import { type Kysely, sql } from 'kysely';

/** How many of an address's guesses are counted and not judged yet: a crash is not to count for the member. */
const statements = [
  'alter table signInFailures add column underWay integer not null default 0',
  'create index signInFailuresUnderWay on signInFailures (underWay) where underWay > 0',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
