import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';

const migrate = async (db: Kysely<unknown>, upTo?: string) => {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  expect(error).toBeUndefined();
};

it('a data folder of the first days, without logos, becomes like a new one', async () => {
  const sqlite = new SQLite(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const shape = () => ({
    columns: ['tenants', 'clients'].map((table) =>
      sqlite.prepare(`select name, type, "notnull" from pragma_table_info('${table}') order by name`).all(),
    ),
    indexes: sqlite.prepare(`select name, sql from sqlite_master where type = 'index' order by name`).all(),
  });
  await migrate(db, '0008-sweeping');
  const whole = shape();
  for (const table of ['tenants', 'clients']) {
    await sql`alter table ${sql.table(table)} drop column logo`.execute(db);
  }
  await sql`drop index emailProofsByMember`.execute(db);
  await sql`drop index checkoutsByExpiry`.execute(db);
  await migrate(db, '0009-first-data-folders');
  expect(shape()).toEqual(whole);
  await db.destroy();
});
