import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table tenants add column revocationListed integer not null default 0
    check (revocationListed in (0, 1))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
