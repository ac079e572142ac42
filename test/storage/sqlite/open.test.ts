import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import type { Store } from '../../../src/storage/store.ts';
import { listTenants } from '../../../src/storage/tenant.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { insertRecords, newStore } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const fileIn = (folder: string) => join(folder, 'memberdoor.db');

/** Reads a pragma on the store's own connection: synchronous, for one, is not kept in the file. */
async function pragma(store: Store, name: string): Promise<unknown> {
  const { rows } = await store.transaction((tx) => sql`pragma ${sql.raw(name)}`.execute(tx));
  return Object.values(rows[0] as object)[0];
}

/** A folder with a database of ours that was closed in good order. */
async function closedDatabase(): Promise<string> {
  const folder = temporaryFolder();
  const store = await openStore(folder, true);
  await store.close();
  return folder;
}

async function refusalOf(folder: string, mayInitialise = true): Promise<string> {
  const error = await openStore(folder, mayInitialise).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartupError);
  return (error as StartupError).message;
}

describe('settings of the connection', () => {
  it.each<[string, string | number, string]>([
    ['synchronous', 1, 'NORMAL: the log is synchronised by the store itself, before the answers'],
    ['foreign_keys', 1, 'on'],
    ['journal_mode', 'wal', 'readers do not wait for the writer'],
    ['cache_size', -16_000, 'KiB: more takes memory and gives nothing'],
    ['wal_autocheckpoint', 0, 'none: a checkpoint has a thread of its own'],
    ['busy_timeout', 0, 'a foreign lock is waited for without holding up the event loop'],
  ])('Z3: %s is %s at the first opening and at every later one (%s)', async (name, value) => {
    const folder = temporaryFolder();
    const first = await openStore(folder, true);
    expect(await pragma(first, name)).toBe(value);
    await first.close();
    const second = await newStore(folder);
    expect(await pragma(second, name)).toBe(value);
  });

  it('Z12: what a start does not ask of each value is asked at each write all the same', async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder, true);
    await first.transaction(insertRecords);
    await first.close();
    const store = await newStore(folder);
    expect(await pragma(store, 'ignore_check_constraints')).toBe(0);
    const invent = store.transaction((tx) => sql`update sessions set state = 'unheard of'`.execute(tx));
    await expect(invent).rejects.toThrow(/CHECK constraint failed/);
  });

  it('the file says that it is ours', async () => {
    const folder = await closedDatabase();
    // Bytes 68 to 71 of a SQLite file are its application_id.
    expect(readFileSync(fileIn(folder)).subarray(68, 72).toString()).toBe('MDOR');
  });
});

describe('a folder without a database', () => {
  it('is made a new service where that was asked for, readable by its owner alone', async () => {
    const folder = join(temporaryFolder(), 'new', 'data');
    const store = await newStore(folder);
    expect(await store.transaction(listTenants)).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is refused otherwise, and nothing is made', async () => {
    const folder = join(temporaryFolder(), 'data');
    expect(await refusalOf(folder, false)).toMatch(/^There is no database at .*memberdoor init/);
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('is refused where it cannot be made', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await refusalOf(join(file, 'data'))).toMatch(/cannot be made/);
  });
});

describe('Z12: a file that is not a sound database of ours', () => {
  it('of zero length is refused, not taken for a new service', async () => {
    const folder = temporaryFolder();
    writeFileSync(fileIn(folder), '');
    expect(await refusalOf(folder)).toMatch(/is an empty file/);
    expect(statSync(fileIn(folder)).size).toBe(0);
  });

  it('of text is refused', async () => {
    const folder = temporaryFolder();
    writeFileSync(fileIn(folder), 'not a database\n'.repeat(1_000));
    expect(await refusalOf(folder)).toMatch(/cannot be opened: file is not a database/);
  });

  it('of another program is refused, and left as it was', async () => {
    const folder = temporaryFolder();
    const foreign = new SQLite(fileIn(folder));
    foreign.exec('create table notes (text)');
    foreign.close();
    const before = readFileSync(fileIn(folder));
    expect(await refusalOf(folder)).toMatch(/is not a database of memberdoor/);
    expect(readFileSync(fileIn(folder)).equals(before)).toBe(true);
  });

  it('that is a folder is refused', async () => {
    const folder = temporaryFolder();
    mkdirSync(fileIn(folder));
    expect(await refusalOf(folder)).toMatch(/cannot be opened/);
  });

  it('truncated to half is refused', async () => {
    const folder = await closedDatabase();
    const { size } = statSync(fileIn(folder));
    truncateSync(fileIn(folder), size / 2);
    expect(await refusalOf(folder)).toMatch(/backup/);
  });

  it.each([
    ['8 bytes of the header', 16, 8],
    ['20 KB from the third page on', 8_192, 20_000],
  ])('with %s overwritten is refused', async (_what, from, length) => {
    const folder = await closedDatabase();
    const bytes = readFileSync(fileIn(folder));
    writeFileSync(fileIn(folder), bytes.fill(0xa5, from, from + length));
    const damaged = readFileSync(fileIn(folder));
    const message = await refusalOf(folder);
    expect(message).toMatch(/backup/);
    expect(message).not.toContain('\n');
    expect(readFileSync(fileIn(folder)).equals(damaged)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['memberdoor.db', 'memberdoor.lock']);
  });

  it('with any one of its pages overwritten is refused', async () => {
    const folder = await closedDatabase();
    const sound = readFileSync(fileIn(folder));
    for (let from = 0; from < sound.length; from += 4_096) {
      writeFileSync(fileIn(folder), Buffer.from(sound).fill(0xa5, from, from + 4_096));
      expect(await refusalOf(folder), `page ${from / 4_096 + 1}`).toContain(fileIn(folder));
    }
  });

  it('a refusal names the file in one line, and lets go of the folder', async () => {
    const folder = temporaryFolder();
    writeFileSync(fileIn(folder), '');
    for (const message of [await refusalOf(folder), await refusalOf(folder)]) {
      expect(message).toContain(fileIn(folder));
      expect(message).not.toContain('\n');
      expect(message).not.toMatch(/another memberdoor/);
    }
  });
});

describe('a database of another version', () => {
  it('that is older is brought to this one, with what it holds', async () => {
    const folder = temporaryFolder();
    const old = new SQLite(fileIn(folder));
    old.pragma(`application_id = ${0x4d444f52}`);
    const [name = '', migration] = Object.entries(migrations)[0] ?? [];
    const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: old }) });
    const provider = { getMigrations: async () => (migration === undefined ? {} : { [name]: migration }) };
    await new Migrator({ db: kysely, provider }).migrateToLatest();
    old.exec(
      "insert into tenants values ('t', 'Old', 'https://old.test', 'old.test', '#000000', 0, x'01', 1)",
    );
    await kysely.destroy();

    const store = await newStore(folder);
    const tenants = await store.transaction(listTenants);
    expect(tenants.map(({ tenant }) => tenant.host)).toEqual(['old.test']);
    const { rows } = await store.transaction((tx) =>
      sql<{ name: string }>`select name from kysely_migration order by name`.execute(tx),
    );
    expect(rows.map((row) => row.name)).toEqual(Object.keys(migrations));
  });

  const change = (folder: string, text: string) => {
    const file = new SQLite(fileIn(folder));
    file.exec(text);
    file.close();
  };

  it.each([
    ['that is newer', '9999-of-the-future'],
    ['of a build that named a migration otherwise', '0005-another-name'],
  ])(
    '%s is refused in one line that names the migration and what to do, and left as it was',
    async (_what, name) => {
      const folder = await closedDatabase();
      if (name < '9')
        change(folder, `update kysely_migration set name = '${name}' where name = '0005-operators'`);
      else change(folder, `insert into kysely_migration values ('${name}', '2030-01-01')`);
      const before = readFileSync(fileIn(folder));
      expect(await refusalOf(folder)).toBe(
        `The database ${fileIn(folder)} is of another version of memberdoor: it holds the migration "${name}", which this one does not know. Start the version that used it last, or restore a backup of this one ("memberdoor restore FILE").`,
      );
      expect(readFileSync(fileIn(folder)).equals(before)).toBe(true);
    },
  );

  it('that lacks a migration before its last is refused in one line that names it', async () => {
    const folder = await closedDatabase();
    change(folder, "delete from kysely_migration where name = '0005-operators'");
    expect(await refusalOf(folder)).toContain(
      'it lacks the migration "0005-operators" and holds later ones.',
    );
  });
});

describe('close', () => {
  it('Z15: commits what is waiting, and leaves no write-ahead log', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder, true);
    const work = store.transaction(async () => 'done');
    await store.close();
    expect(await work).toBe('done');
    expect(() => statSync(`${fileIn(folder)}-wal`)).toThrow('ENOENT');
  });

  it('what was committed is there at the next opening', async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder, true);
    await first.transaction(insertRecords);
    const tenants = await first.transaction(listTenants);
    await first.close();
    const second = await newStore(folder);
    expect(tenants).toHaveLength(2);
    expect(await second.transaction(listTenants)).toEqual(tenants);
  });
});
