import { type Kysely, sql } from 'kysely';

/** Bytes that mean nothing: writing them brings the log into the file, and overwrites what the log held. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw('create table filler (id integer primary key check (id = 1), bytes blob not null) strict')
    .execute(db);
}
