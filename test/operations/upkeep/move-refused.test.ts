import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { moveToFolder, moveToPostgres } from '../../../src/operations/upkeep/move.ts';
import { databaseFile, openStore } from '../../../src/storage/sqlite/open.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { commandHere } from '../../support/operators/command.ts';
import {
  namesIn,
  oneRow,
  productionConfig,
  quietly,
  smallFolder,
  summaryOf,
} from '../../support/operators/moved.ts';
import { now } from '../../support/records/records.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';
import { freePort } from '../../support/service.ts';

describe('a move is refused, and changes nothing', () => {
  const notMoved = 'The service was not moved, and nothing was changed: ';
  const expectRefused = async (moving: Promise<unknown>, why: RegExp | string) => {
    await expect(moving).rejects.toThrow(StartupError);
    await expect(moving).rejects.toThrow(notMoved);
    await expect(moving).rejects.toThrow(why);
  };

  it('while a service uses the folder', async () => {
    const dataFolder = smallFolder();
    const store = await openStore(dataFolder, false);
    const moving = moveToPostgres({ dataFolder, databaseUrl: await sharedDatabase() }, quietly, now);
    await expectRefused(moving, 'another memberdoor is using it');
    await store.close();
  });

  it('while a process of the service is connected to the database, or where that is empty', async () => {
    const databaseUrl = await sharedDatabase();
    const dataFolder = join(temporaryFolder(), 'new');
    const { pathname } = new URL(databaseUrl);
    const noDatabase = databaseUrl.replace(pathname, '/template1');
    await expectRefused(
      moveToFolder({ dataFolder, databaseUrl: noDatabase }, quietly),
      'The database is empty',
    );
    const process = await openShared(databaseUrl);
    await expectRefused(
      moveToFolder({ dataFolder, databaseUrl }, quietly),
      'A memberdoor is using the database',
    );
    await process.close();
    expect(namesIn(dataFolder)).toEqual(['memberdoor.lock']);
  });

  it('into a database, or a folder, that has a service', async () => {
    const databaseUrl = await sharedDatabase();
    await moveToPostgres({ dataFolder: smallFolder(), databaseUrl }, quietly, now);
    const dataFolder = smallFolder();
    const before = await summaryOf(dataFolder);
    await expectRefused(
      moveToPostgres({ dataFolder, databaseUrl }, quietly, now),
      'The database is not empty: there are rows in service.',
    );
    await expectRefused(moveToFolder({ dataFolder, databaseUrl }, quietly), 'memberdoor.db is there already');
    expect(await summaryOf(dataFolder)).toEqual(before);
  });

  it('of a service of another version, on each side', async () => {
    const databaseUrl = await sharedDatabase();
    const older = 'delete from kysely_migration where name = (select max(name) from kysely_migration)';
    const dataFolder = smallFolder();
    await oneRow(databaseUrl, older);
    const intoOlder = moveToPostgres({ dataFolder, databaseUrl }, quietly, now);
    await expectRefused(intoOlder, 'The database is of an older version');
    const file = new SQLite(join(dataFolder, databaseFile));
    file.exec(older);
    file.close();
    const ofOlder = moveToPostgres({ dataFolder, databaseUrl: await sharedDatabase() }, quietly, now);
    await expectRefused(ofOlder, 'is of an older version');
    await expectRefused(
      moveToFolder({ dataFolder: temporaryFolder(), databaseUrl }, quietly),
      'The database is of an older version',
    );
  });

  it('F18: where the database cannot be reached, in one line without its password', async () => {
    const databaseUrl = `postgres://memberdoor:s3cret@127.0.0.1:${await freePort()}/x`;
    const dataFolder = smallFolder();
    const moving = moveToPostgres({ dataFolder, databaseUrl }, quietly, now);
    await expectRefused(moving, /: The database cannot be reached: (?!.*s3cret)[^\n]+\.$/);
    expect(existsSync(join(dataFolder, databaseFile))).toBe(true);
  });

  it('F18: where the database does not take a row, which the error does not repeat', async () => {
    const dataFolder = smallFolder();
    const file = new SQLite(join(dataFolder, databaseFile));
    file.prepare('update members set fullName = ?').run('Ada\0Secret');
    file.close();
    const moving = moveToPostgres({ dataFolder, databaseUrl: await sharedDatabase() }, quietly, now);
    await expectRefused(moving, /^(?!.*Secret).*members/);
  });
});

describe('what wants every process stopped', () => {
  it('is refused while one is connected to the database, and changes nothing', async () => {
    const databaseUrl = await sharedDatabase();
    const folder = smallFolder();
    const configuration = () => productionConfig(folder, databaseUrl);
    await moveToPostgres({ dataFolder: folder, databaseUrl }, quietly, now);
    const newKey = join(folder, 'new.key');
    writeFileSync(newKey, Buffer.alloc(32, 9).toString('base64'));
    const kept = 'select "keyCheck", (select count(*) from "auditEvents") as events from service';
    const before = await oneRow(databaseUrl, kept);
    const process = await openShared(databaseUrl, {}, false);
    const words = [['restored'], ['reencrypt', newKey], ['new-keys', '--lost-master-key']];
    for (const command of words) {
      await expect(commandHere(command, { configuration })).rejects.toThrow(
        'A memberdoor is using the database. Stop every process of the service first.',
      );
    }
    await process.close();
    expect(await oneRow(databaseUrl, kept)).toEqual(before);
    expect(await commandHere(['restored'], { configuration })).toMatchObject({ code: 0 });
    expect(await commandHere(['reencrypt', newKey], { configuration })).toMatchObject({ code: 0 });
  });
});
