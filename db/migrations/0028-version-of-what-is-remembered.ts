import { type Kysely, sql } from 'kysely';

/** One row that goes up when something changes that processes remember, such as a client: each reads it anew then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('remembered')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await sql`insert into remembered (id, version) values (1, 0)`.execute(db);
}
