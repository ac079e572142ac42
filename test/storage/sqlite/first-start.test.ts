import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import { applicationId } from '../../../src/storage/sqlite/check.ts';
import { databaseFile, openStore } from '../../../src/storage/sqlite/open.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const fileIn = (folder: string) => join(folder, databaseFile);

/** Opens a folder's store as a start does, and tells which migrations made its database. */
async function openedWith(folder: string): Promise<readonly string[]> {
  const store = await openStore(folder, true);
  const rows = await store.transaction((tx) =>
    sql<{ name: string }>`select name from kysely_migration order by name`.execute(tx),
  );
  await store.close();
  return rows.rows.map(({ name }) => name);
}

const all = Object.keys(migrations);

describe('promise 4: a first start that was cut off', () => {
  it('before its database had a name begins anew, and leaves nothing beside it', async () => {
    const folder = temporaryFolder();
    for (const end of ['.new', '.new-journal']) writeFileSync(`${fileIn(folder)}${end}`, 'cut off');
    expect(await openedWith(folder)).toEqual(all);
    expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([]);
  });

  it('before there was anything in its database goes on', async () => {
    const folder = temporaryFolder();
    const sqlite = new SQLite(fileIn(folder));
    sqlite.pragma(`application_id = ${applicationId}`);
    sqlite.close();
    expect(await openedWith(folder)).toEqual(all);
  });

  it('by kill -9, whenever that came, goes on', async () => {
    const store = new URL('../../../src/storage/sqlite/open.ts', import.meta.url).href;
    const program = `const { openStore } = await import(${JSON.stringify(store)});
      process.stdout.write('loaded', () => openStore(process.argv[1], true));`;
    for (const after of [0, 2, 5, 10, 20, 40]) {
      const folder = temporaryFolder();
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder]);
      // A start that ends before the kill says so once, and this has to hear it.
      const exit = once(child, 'exit');
      // Until it begins there is nothing to watch for, and what watches takes a core.
      await once(child.stdout, 'data');
      while (!existsSync(fileIn(folder)) && child.exitCode === null) await new Promise(setImmediate);
      const until = performance.now() + after;
      while (performance.now() < until) await new Promise(setImmediate);
      child.kill('SIGKILL');
      await exit;
      expect(await openedWith(folder), `${after} ms after its file was there`).toEqual(all);
    }
  });
});

it('promise 2: a migration that cannot be ended leaves the database as it was, and is done by the next start', async () => {
  const folder = temporaryFolder();
  const sqlite = new SQLite(fileIn(folder));
  sqlite.pragma(`application_id = ${applicationId}`);
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  expect((await migrator.migrateTo('0008-sweeping')).error).toBeUndefined();
  // What 0011 makes last is there already, so it fails when it has replaced the table of codes.
  sqlite.exec('drop index authorizationCodesBySignIn; create table inTheWay (x)');
  sqlite.exec('create index authorizationCodesBySignIn on inTheWay (x)');
  const shape = () => {
    const seen = new SQLite(fileIn(folder), { readonly: true });
    const rows = seen
      .prepare("select name, sql from sqlite_schema where name not like 'kysely%' order by name")
      .all();
    seen.close();
    return rows;
  };
  await db.destroy();
  const before = shape();
  await expect(openStore(folder, true)).rejects.toThrow(
    /cannot be brought to this version: .*already exists/,
  );
  expect(shape()).toEqual(before);

  const mended = new SQLite(fileIn(folder));
  mended.exec('drop table inTheWay');
  mended.close();
  expect(await openedWith(folder)).toEqual(all);
});
