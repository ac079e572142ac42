import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import { connect } from '../../../src/cli/connection.ts';
import { readConfig } from '../../../src/config.ts';
import { checkBackup, restore } from '../../../src/operations/upkeep/restore.ts';
import { openVault } from '../../../src/secrets/vault.ts';
import { readDatabase } from '../../../src/storage/sqlite/backup.ts';
import { applicationId } from '../../../src/storage/sqlite/check.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { commandHere } from '../../support/operators/command.ts';
import { smallFiles } from '../../support/process/faults.ts';
import { startProcess } from '../../support/process/started.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { fixtureKey } from '../../support/run/fixture-folders.ts';
import { freePort } from '../../support/service.ts';

const names = Object.keys(migrations);
const newest = names.at(-1) ?? '';
const older = names.at(-2) ?? '';
const vault = openVault(fixtureKey);
const masterKey = fixtureKey.toString('base64');

/** Holds what `olderFolder` copies: to run all migrations takes longer than what is looked at here. */
let original: string;
beforeAll(async () => {
  original = mkdtempSync(join(tmpdir(), 'memberdoor-older-'));
  const sqlite = new SQLite(join(original, 'memberdoor.db'));
  sqlite.pragma(`application_id = ${applicationId}`);
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  expect((await migrator.migrateTo(older)).error).toBeUndefined();
  sqlite
    .prepare("insert into service (id, environment, keyCheck, initialisedAt) values (1, 'development', ?, 0)")
    .run(vault.keyCheck);
  await db.destroy();
});
afterAll(() => rmSync(original, { recursive: true, force: true }));

/** A development service of the version before the newest migration. */
function olderFolder(): string {
  const folder = temporaryFolder();
  cpSync(original, folder, { recursive: true });
  return folder;
}

const schemaOf = (folder: string) => readDatabase(join(folder, 'memberdoor.db')).schema.at(-1);
const copiesIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('before-upgrade'));
const copy = `memberdoor-before-upgrade-of-${older}.db`;

async function start(folder: string, under: readonly string[] = []) {
  const port = String(await freePort());
  const settings = { MEMBERDOOR_DATA: folder, MEMBERDOOR_PORT: port, MEMBERDOOR_MASTER_KEY: masterKey };
  const started = startProcess({ settings, under });
  await started.ready.then(() => started.stop()).catch(() => {});
  const { code } = await started.exited;
  return { code, err: started.errorLines(), log: started.lines().join('\n') };
}

/** A command on a folder whose service is stopped. */
async function run(folder: string, ...words: string[]) {
  const configuration = () => {
    const read = readConfig({ MEMBERDOOR_DATA: folder, MEMBERDOOR_MASTER_KEY: masterKey }, folder);
    if (!read.ok) throw new Error(read.problems.join(' '));
    return read.config;
  };
  const context = {
    configuration,
    connect: (mayMigrate: boolean) => connect(folder, configuration, mayMigrate, 'olga'),
  };
  try {
    return await commandHere(words, context);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return { code: 1, out: '', err: error.message };
  }
}

describe('an upgrade', () => {
  it('copies the database beside itself before it is migrated, and deletes the copy when a later start went well', async () => {
    const folder = olderFolder();
    const first = await start(folder);
    expect(first).toMatchObject({ code: 0, err: [] });
    expect(first.log).toContain(copy);
    expect(schemaOf(folder)).toBe(newest);
    expect(copiesIn(folder)).toEqual([copy]);
    expect(readDatabase(join(folder, copy)).schema.at(-1)).toBe(older);

    // A later start that does not go well keeps it.
    const database = join(folder, 'memberdoor.db');
    const sound = readFileSync(database);
    writeFileSync(database, '');
    expect((await start(folder)).code).toBe(1);
    expect(copiesIn(folder)).toEqual([copy]);

    writeFileSync(database, sound);
    expect(await start(folder)).toMatchObject({ code: 0, err: [] });
    expect(copiesIn(folder)).toEqual([]);
  });

  it('keeps as the copy a backup that can be restored', async () => {
    const folder = olderFolder();
    expect((await start(folder)).code).toBe(0);
    const target = { dataFolder: temporaryFolder(), environment: 'development', vault } as const;
    expect(checkBackup(target, join(folder, copy)).hasChecksum).toBe(true);
    await restore(target, join(folder, copy), 0);
    // What is restored is copied nowhere: the backup is there.
    expect(copiesIn(target.dataFolder)).toEqual([]);
  });

  it('changes nothing where the copy cannot be made, and says so in one sentence', async () => {
    const folder = olderFolder();
    const { code, err } = await start(folder, smallFiles(100_000));
    expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 });
    expect(err[0]).toContain('cannot be copied before it is brought to this one; nothing was changed');
    expect(schemaOf(folder)).toBe(older);
    expect(copiesIn(folder)).toEqual([]);
  });

  it('makes the copy anew where an upgrade that failed has left one, since the older version went on', async () => {
    const folder = olderFolder();
    writeFileSync(join(folder, copy), 'of long ago');
    writeFileSync(join(folder, `${copy}.part`), 'cut off');
    expect((await start(folder)).code).toBe(0);
    expect(readDatabase(join(folder, copy)).schema.at(-1)).toBe(older);
    expect(copiesIn(folder)).toEqual([copy]);
  });
});

describe('a command on a stopped service of an older version', () => {
  it.each(['tenants list', 'export', 'init', 'new-keys --lost-master-key'])(
    '%s says that it would migrate, and does so only with --migrate',
    async (command) => {
      const words = command.split(' ');
      const folder = olderFolder();
      const asked = await run(folder, ...words);
      expect(asked.code).toBe(1);
      expect(asked.err).toContain(newest);
      expect(asked.err).toContain('Nothing was done: --migrate does it');
      expect(schemaOf(folder)).toBe(older);
      expect(copiesIn(folder)).toEqual([]);
      await run(folder, ...words, '--migrate');
      expect(schemaOf(folder)).toBe(newest);
      expect(copiesIn(folder)).toEqual([copy]);
    },
  );

  it('reads and restores backups without a question: neither changes the database of the older version', async () => {
    const folder = olderFolder();
    expect((await start(folder)).code).toBe(0);
    const checked = await run(olderFolder(), 'restore', '--check', join(folder, copy));
    expect(checked).toMatchObject({ code: 0, err: '' });
  });

  it('asks nothing where the database is of this version', async () => {
    const folder = olderFolder();
    expect((await run(folder, 'tenants', 'list', '--migrate')).code).toBe(0);
    expect(await run(folder, 'tenants', 'list')).toMatchObject({ code: 0, err: '' });
  });
});

describe('Z12: a database that was cut to nothing', () => {
  it('keeps the log beside it, in which confirmed changes may be', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'memberdoor.db'), '');
    writeFileSync(join(folder, 'memberdoor.db-wal'), 'a log');
    expect((await start(folder)).err).toEqual([expect.stringContaining('is an empty file')]);
    expect(readFileSync(join(folder, 'memberdoor.db-wal'), 'utf8')).toBe('a log');
  });
});
