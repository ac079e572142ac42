import { type Kysely, sql } from 'kysely';

/** What belongs to whom where an address passed from one member to another: erasing the one leaves the other alone. */
const statements = [
  // Since when a member has the address; 0 where that is not known, so that all of it is taken for this member's.
  'alter table members add column emailSince integer not null default 0',
  `create table formerAddresses (
    memberId text not null references members (id),
    email text not null,
    givenUpAt integer not null,
    primary key (memberId, email)
  ) strict, without rowid`,
  'create index formerAddressesByTime on formerAddresses (givenUpAt)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
