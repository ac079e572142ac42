import { type Kysely, sql } from 'kysely';

const statements = [
  // Of the device codes nearly none has a member or a sign-in while it waits, and each entry costs its insertion.
  'drop index deviceCodesBySignIn',
  'drop index deviceCodesByMember',
  'create index deviceCodesBySignIn on deviceCodes (signInId) where signInId is not null',
  'create index deviceCodesByMember on deviceCodes (memberId) where memberId is not null',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
