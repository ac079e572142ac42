// The tables of a new database, as the migrations make them: db/schema.sql.
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from '../db/migrations/index.ts';

/** What a database of SQLite holds that has every migration. */
export async function schemaOfMigrations(): Promise<string> {
  const sqlite = new SQLite(':memory:');
  const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  try {
    const provider = { getMigrations: async () => ({ ...migrations }) };
    const { error } = await new Migrator({ db: kysely, provider }).migrateToLatest();
    if (error !== undefined) throw error;
    return schemaIn(sqlite);
  } finally {
    await kysely.destroy();
  }
}

const head =
  '-- Written by "npm run docs" from the migrations: a new database begins with this, and a test holds them equal.\n';

/**
 * What a database holds, as statements: its tables, indexes and triggers in the order in which they were made, and the
 * rows that migrations left, but for the names of the migrations.
 */
export function schemaIn(sqlite: SQLite.Database): string {
  const made = sqlite
    .prepare(
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
    )
    .pluck()
    .all() as string[];
  return [head, ...[...made, ...filledIn(sqlite)].map((statement) => `${statement};\n`)].join('\n');
}

function filledIn(sqlite: SQLite.Database): readonly string[] {
  const tables = sqlite
    .prepare(
      "select name from sqlite_schema where type = 'table' and name <> 'kysely_migration' and name not like 'sqlite_%'",
    )
    .pluck()
    .all() as string[];
  return tables.flatMap((table) => {
    const columns = sqlite.pragma(`table_info("${table}")`) as { readonly name: string }[];
    const quoted = columns.map(({ name }) => `quote("${name}")`).join(" || ', ' || ");
    const rows = sqlite.prepare(`select ${quoted} from "${table}"`).pluck().all() as string[];
    return rows.map((row) => `insert into "${table}" values (${row})`);
  });
}
