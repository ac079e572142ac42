import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table clients add column accessTokenAlgorithm text not null default 'ES256'
    check (accessTokenAlgorithm in ('ES256', 'RS256'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
