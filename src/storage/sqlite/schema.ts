// Brings a database to the newest schema: a new one at once, another by the migrations that it lacks.
import { readFileSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { migrations } from '../../../db/migrations/index.ts';
import { reasonOf } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import type { Database } from '../schema.ts';

/** The tables as all migrations make them; a test holds them equal. */
const newest = new URL('../../../db/schema.sql', import.meta.url);

const known = Object.keys(migrations);

/** The migrations that a database has; null before the first. */
function madeOf(sqlite: SQLite.Database): readonly string[] | null {
  const began = sqlite.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
  if (began === undefined) return null;
  return sqlite.prepare('select name from kysely_migration order by name').pluck().all() as string[];
}

/**
 * Makes sure that this version can bring a database to its own schema: the migrations that made it are the first of
 * those that we know. Otherwise another version made it, a newer one or one that went another way.
 *
 * @throws StartupError in one line, before anything is changed
 */
export function checkVersion(sqlite: SQLite.Database, path: string): void {
  // A first start may have been cut off before there was anything.
  const made = madeOf(sqlite) ?? [];
  const strange = made.find((name) => !known.includes(name));
  const missing = known.find((name, index) => index < made.length && !made.includes(name));
  if (strange === undefined && missing === undefined) return;
  const what =
    strange === undefined
      ? `it lacks the migration "${missing}" and holds later ones`
      : `it holds the migration "${strange}", which this one does not know`;
  throw new StartupError(
    `The database ${path} is of another version of memberdoor: ${what}. Start the version that used it last, or restore a backup of this one ("memberdoor restore FILE").`,
  );
}

/**
 * Brings a database to the newest schema. To run every migration would take as long as most of a first start, so a
 * database without any gets the tables that they come to.
 *
 * @param path names it in an error
 * @throws StartupError
 */
export async function bringToNewest(
  sqlite: SQLite.Database,
  kysely: Kysely<Database>,
  path: string,
): Promise<void> {
  const made = madeOf(sqlite);
  if (made?.length === known.length) return;
  const failed = made === null ? makeTables(sqlite) : await migrate(kysely);
  if (failed !== undefined) {
    throw new StartupError(`The database ${path} cannot be brought to this version: ${reasonOf(failed)}.`);
  }
}

/** @returns what kept the tables from being made; nothing of them is there then */
function makeTables(sqlite: SQLite.Database): unknown {
  const make = sqlite.transaction(() => {
    sqlite.exec(readFileSync(newest, 'utf8'));
    const note = sqlite.prepare('insert into kysely_migration (name, timestamp) values (?, ?)');
    const now = new Date().toISOString();
    for (const name of known) note.run(name, now);
  });
  try {
    make.immediate();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function migrate(kysely: Kysely<Database>): Promise<unknown> {
  const { Migrator } = await import('kysely/migration');
  const provider = { getMigrations: async () => ({ ...migrations }) };
  return (await new Migrator({ db: kysely, provider }).migrateToLatest()).error;
}
