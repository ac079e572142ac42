import { type Kysely, sql } from 'kysely';

/** Which code was entered and in which browser, both hashed: the same one again is no other guess (decision 45). */
const statements = [
  `alter table wrongUserCodes add column userCodeHash text not null default ''`,
  `alter table wrongUserCodes add column browserHash text not null default ''`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
