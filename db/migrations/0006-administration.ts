import { type Kysely, sql } from 'kysely';

const statements = [
  // Who made a token of the admin API: what a token makes ends with it, what an administrator makes works while
  // that one may. Of tokens that were made before, nobody knows.
  'alter table adminTokens add column parentId text',
  'alter table adminTokens add column makerId text',
  'create index adminTokensByParent on adminTokens (parentId) where parentId is not null',

  // Every act of an operator asks whether somebody still administers everything.
  `create index systemAdmins on members (id) where userType = 'system_admin'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
