import { type Kysely, sql } from 'kysely';

/** Which browser and which network asked for a mail, both hashed: a stranger's asking keeps no mail from the owner. */
const statements = [
  `alter table emailProofs add column askedBy text not null default ''`,
  `alter table emailProofs add column askedFrom text not null default ''`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
