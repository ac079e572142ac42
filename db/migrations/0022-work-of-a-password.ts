import { type Kysely, sql } from 'kysely';

/** What it takes to check a member's password: an unknown address takes as much as the slowest of its tenant. */
const statements = [
  'alter table members add column passwordWork integer not null default 0',
  // m and t of the PHC string; a cast reads the digits up to the comma.
  `update members set passwordWork =
    cast(substr(passwordHash, instr(passwordHash, '$m=') + 3) as integer) *
    cast(substr(passwordHash, instr(passwordHash, ',t=') + 3) as integer)
    where passwordHash like '$argon2id$%'`,
  'create index membersByPasswordWork on members (tenantId, passwordWork)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
