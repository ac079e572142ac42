import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { openService } from '../../../src/operations/service/service.ts';
import { moveToFolder, moveToPostgres } from '../../../src/operations/upkeep/move.ts';
import { insertMail } from '../../../src/storage/members/mail.ts';
import { copyAll, type StoredRow } from '../../../src/storage/move/copy.ts';
import { type MovedTable, movedTables, selfReferences } from '../../../src/storage/move/tables.ts';
import { openSource, openTarget } from '../../../src/storage/sqlite/move.ts';
import { databaseFile, openStore } from '../../../src/storage/sqlite/open.ts';
import { hosts } from '../../support/fixtures.ts';
import { liveAndLeaveTraces } from '../../support/members/erased.ts';
import { commandHere } from '../../support/operators/command.ts';
import {
  namesIn,
  oneRow,
  productionConfig,
  quietly,
  type Summary,
  smallFolder,
  summaryOf,
} from '../../support/operators/moved.ts';
import { fillOtherTables } from '../../support/records/every-table.ts';
import { now } from '../../support/records/records.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService } from '../../support/service.ts';
import { apps, refreshAs, tokensOf } from '../../support/tokens.ts';
import { answerOf, authorizationParameters, pkce, visitor } from '../../support/visitor.ts';

/** Stops as soon as rows of a table were copied, as a process that is killed there would. */
const cutOffAt = (table: MovedTable) => ({
  migrate: false,
  tell: (copied: string) => {
    if (copied === table) throw new Error('cut off');
  },
});

describe('a service that moves into PostgreSQL and back', () => {
  let databaseUrl: string;
  let before: Summary;
  beforeAll(async () => {
    databaseUrl = await sharedDatabase();
  });

  it('goes on where it was: sessions, refresh tokens and each value of each table', async () => {
    const folder = temporaryFolder();
    const service = await startTestService({ data: 'security', folder, trustedProxies: ['127.0.0.1'] });
    const browser = visitor(service, hosts.a);
    const { refresh_token } = await tokensOf(service, hosts.a, apps.pub1, { browser });
    await fillOtherTables(service, await liveAndLeaveTraces(service));
    await service.stop();
    // A number that no number of JavaScript is.
    const file = new SQLite(join(folder, databaseFile));
    file.prepare('insert into leases (name, holder, until) values (?, ?, ?)').run('big', '', 2n ** 62n + 1n);
    file.close();
    before = await summaryOf(folder);
    expect(Object.entries(before).filter(([, { rows }]) => rows === 0)).toEqual([]);

    const { copied, kept } = await moveToPostgres({ dataFolder: folder, databaseUrl }, quietly, now);
    expect(copied).toEqual(before);
    expect(basename(kept ?? '')).toBe('memberdoor-moved-2026-01-15T12-00-00.db');
    expect(namesIn(folder).filter((name) => name.startsWith(databaseFile))).toEqual([]);

    const back = join(temporaryFolder(), 'back');
    expect(await moveToFolder({ dataFolder: back, databaseUrl }, quietly)).toEqual(before);
    expect(await summaryOf(back)).toEqual(before);
    expect(namesIn(back)).toEqual([databaseFile, 'memberdoor.lock']);
    await (await openStore(back, false)).close();

    const { clock } = service;
    const moved = await startTestService({ data: 'security', folder, database: databaseUrl });
    moved.clock.set(clock.now());
    Object.assign(service, moved);
    try {
      expect((await refreshAs(service, hosts.a, apps.pub1, refresh_token)).status).toBe(200);
      const { clientId, redirectUri } = apps.pub1;
      const silent = authorizationParameters(clientId, redirectUri, pkce(), { prompt: 'none' });
      expect(answerOf(await browser.authorize(silent)).get('code')).not.toBeNull();
      await moved.store.transaction((tx) => tx.deleteFrom('leases').where('name', '=', 'big').execute());
    } finally {
      await moved.stop();
    }
  });

  it('numbers what comes on behind what there was', async () => {
    const store = await openShared(databaseUrl, {}, false);
    try {
      const added = await store.transaction(async (tx) => {
        const { id: tenantId } = await tx.selectFrom('tenants').select('id').executeTakeFirstOrThrow();
        const highest = await tx
          .selectFrom('mails')
          .select(({ fn }) => fn.max('id').as('id'))
          .executeTakeFirst();
        await insertMail(
          tx,
          { tenantId, name: 'signUp', recipientHash: null, message: Buffer.alloc(1) },
          now,
        );
        return {
          highest: highest?.id,
          ...(await tx
            .selectFrom('mails')
            .select(({ fn }) => fn.max('id').as('id'))
            .executeTakeFirstOrThrow()),
        };
      });
      expect(added.highest).toBe(before.mails?.rows);
      expect(added.id).toBe(Number(added.highest) + 1);
    } finally {
      await store.close();
    }
  });
});

describe('a copy that is not the same', () => {
  type Change = (rows: readonly StoredRow[], column: number) => readonly StoredRow[];
  it.each<[string, Change, string]>([
    ['lacks a row', (rows) => rows.slice(1), '3 rows, and the original 4 rows'],
    ['has another value', (rows, column) => rows.map((row) => row.with(column, 'Ada')), 'other values'],
  ])('is not taken where it %s', async (_what, change, told) => {
    const folder = temporaryFolder();
    await (await openStore(folder, true)).close();
    const source = openSource(join(smallFolder(), databaseFile));
    const target = openTarget(join(folder, databaseFile));
    const write: typeof target.write = (table, columns, rows) =>
      target.write(table, columns, table === 'members' ? change(rows, columns.indexOf('fullName')) : rows);
    // What refers to the row that is missing is not looked at: the comparison alone is asked.
    const finish = async () => {};
    try {
      const copying = copyAll(source, { ...target, write, finish }, () => {});
      await expect(copying).rejects.toThrow(`The copy of the table members has ${told}`);
    } finally {
      source.close();
      target.close();
    }
  });
});

describe('a move that is cut off', () => {
  it('leaves the folder as it was and the database without a service, and can be done again', async () => {
    const folder = smallFolder();
    const databaseUrl = await sharedDatabase();
    const before = await summaryOf(folder);
    const cut = moveToPostgres({ dataFolder: folder, databaseUrl }, cutOffAt('subscriptions'), now);
    await expect(cut).rejects.toThrow('cut off');
    expect(await summaryOf(folder)).toEqual(before);
    expect(await oneRow(databaseUrl, 'select count(*) as count from members')).toEqual({ count: 0 });
    await expect(startOn(folder, databaseUrl)).rejects.toThrow('has its tables and no service');
    const { copied } = await moveToPostgres({ dataFolder: folder, databaseUrl }, quietly, now);
    expect(copied).toEqual(before);
    await (await startOn(folder, databaseUrl)).store.close();
  });

  it('on the way back leaves no database in the folder, and nothing of it where it is done again', async () => {
    const databaseUrl = await sharedDatabase();
    const { copied } = await moveToPostgres({ dataFolder: smallFolder(), databaseUrl }, quietly, now);
    const folder = temporaryFolder();
    const cut = moveToFolder({ dataFolder: folder, databaseUrl }, cutOffAt('subscriptions'));
    await expect(cut).rejects.toThrow('cut off');
    expect(namesIn(folder)).toEqual(['memberdoor.lock']);
    // What a process leaves that was killed.
    mkdirSync(join(folder, 'moving-abc'));
    writeFileSync(join(folder, 'moving-abc', databaseFile), 'names and addresses');
    expect(await moveToFolder({ dataFolder: folder, databaseUrl }, quietly)).toEqual(copied);
    expect(namesIn(folder)).toEqual([databaseFile, 'memberdoor.lock']);
  });

  const startOn = (folder: string, databaseUrl: string) =>
    openService(productionConfig(folder, databaseUrl), { initialise: false, migrate: true });
});

describe('the order of the tables', () => {
  it('has every row behind those that it refers to', async () => {
    const folder = smallFolder();
    const file = new SQLite(join(folder, databaseFile));
    const done = new Set<string>();
    for (const table of movedTables) {
      const known: readonly { table: string; from: string }[] = file.pragma(
        `foreign_key_list("${table}")`,
      ) as never;
      const early = known.filter((to) => !done.has(to.table) && to.from !== selfReferences[table]?.from);
      expect({ table, early }).toEqual({ table, early: [] });
      done.add(table);
    }
    const all = file.prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    );
    const others = (all.pluck().all() as string[]).filter((name) => !done.has(name));
    file.close();
    expect(others.sort()).toEqual(['filler', 'kysely_migration', 'kysely_migration_lock']);
  });
});

describe('memberdoor move', () => {
  it('moves into the database of the settings, and back into a folder', async () => {
    const folder = smallFolder();
    const configuration = () => productionConfig(folder, databaseUrl);
    const databaseUrl = await sharedDatabase();
    const there = await commandHere(['move', '--to', 'postgres'], { configuration });
    expect(there).toMatchObject({ code: 0, err: '' });
    expect(there.out).toMatch(/^The service is copied, .*: service 1, remembered 1, tenants 3, /);
    expect(there.out).toContain(`kept as ${folder}/memberdoor-moved-`);
    const back = await commandHere(['move', '--to', folder], { configuration });
    expect(back).toMatchObject({ code: 0, err: '' });
    expect(existsSync(join(folder, databaseFile))).toBe(true);
    const again = await commandHere(['move', '--to', await sharedDatabase()], { configuration });
    expect(again.code).toBe(0);
  });

  it('F18: does not understand an address without repeating it, nor goes without one', async () => {
    const config = productionConfig(temporaryFolder(), 'postgres://127.0.0.1/x');
    const told = async (databaseUrl: string | null, ...words: string[]) => {
      const said = await commandHere(['move', ...words], {
        configuration: () => ({ ...config, databaseUrl }),
      });
      expect(said).toMatchObject({ code: 2, out: '' });
      expect(said.err).not.toContain('s3cret');
      return said.err;
    };
    expect(await told(null)).toContain('--to is missing');
    expect(await told(null, '--to', 'postgres')).toContain('MEMBERDOOR_DATABASE_URL is missing');
    expect(await told(null, '--to', '/a/folder')).toContain('MEMBERDOOR_DATABASE_URL is missing');
    expect(await told(null, '--to', 'postgres://u:s3cret@')).toContain('--to must be postgres://');
    expect(await told(null, '--to', 'postgres://u:s3cret@db.test/x')).toContain(
      '--to leads to another machine',
    );
  });
});
