import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { movesOfRestore } from '../../../src/core/operators/restore.ts';
import { backUp } from '../../../src/operations/upkeep/backup.ts';
import { checkBackup, restore } from '../../../src/operations/upkeep/restore.ts';
import { loadTotp } from '../../../src/secrets/totp.ts';
import { openVault } from '../../../src/secrets/vault.ts';
import {
  isTrustedBrowser,
  saveKnownBrowser,
  trustBrowser,
} from '../../../src/storage/members/known-browser.ts';
import { findSecondFactor } from '../../../src/storage/members/second-factor.ts';
import { appendChecksum, dropChecksum } from '../../../src/storage/sqlite/backup.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { digitsOf, giveSecondFactor } from '../../support/members/second-factor.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { fixtureKey } from '../../support/run/fixture-folders.ts';
import { useService } from '../../support/use-service.ts';

const vault = openVault(fixtureKey);
const target = (dataFolder: string) => ({ dataFolder, environment: 'production', vault }) as const;

const service = useService({ data: 'security' });

describe('restore', () => {
  it('is refused while a service uses the folder, and changes nothing', async () => {
    const file = join(temporaryFolder(), 'backup.db');
    backUp(service.folder, file);
    const before = readdirSync(service.folder).sort();
    await expect(restore(target(service.folder), file, 0)).rejects.toThrow('another memberdoor is using it');
    expect(readdirSync(service.folder).sort()).toEqual(before);
  });

  it('decision 54: takes no digits again and trusts no browser any more, and leaves recovery codes as they were', async () => {
    const [member] = await service.store.transaction((tx) =>
      tx.selectFrom('members').select('id').limit(1).execute(),
    );
    const { secret } = await giveSecondFactor(service, String(member?.id));
    await service.store.transaction(async (tx) => {
      await saveKnownBrowser(tx, String(member?.id), 'hash', service.clock.now());
      await trustBrowser(tx, String(member?.id), 'hash', service.clock.now() + 1_000_000);
    });
    const file = join(temporaryFolder(), 'backup.db');
    backUp(service.folder, file);
    const folder = temporaryFolder();
    await restore(target(folder), file, service.clock.now());
    const store = await openStore(folder, false);
    const { factor, isTrusted } = await store.transaction(async (tx) => ({
      factor: await findSecondFactor(tx, String(member?.id)),
      isTrusted: await isTrustedBrowser(tx, String(member?.id), 'hash', service.clock.now()),
    }));
    await store.close();
    expect([factor?.recoveryHashes.length, isTrusted]).toEqual([10, false]);
    const totp = await loadTotp();
    for (const ahead of [-1, 0, 1]) {
      const step = totp.stepOf(secret, await digitsOf(service, secret, ahead), service.clock.now());
      expect(step).toBeLessThanOrEqual(factor?.lastStep ?? 0);
    }
  });

  it('keeps the database that was there, with what its write-ahead log holds', async () => {
    const file = join(temporaryFolder(), 'backup.db');
    backUp(service.folder, file);
    const folder = temporaryFolder();
    const store = await openStore(folder, true);
    await store.close();
    writeFileSync(join(folder, 'memberdoor.db-wal'), 'what a killed process leaves');

    const { kept } = await restore(target(folder), file, Date.UTC(2026, 10, 21, 13, 31, 25));
    expect(kept).toBe(join(folder, 'memberdoor-before-2026-11-21T13-31-25.db'));
    expect(readFileSync(`${kept}-wal`, 'utf8')).toBe('what a killed process leaves');
    expect(existsSync(join(folder, 'memberdoor.db-wal'))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('restoring'))).toEqual([]);
    const reopened = await openStore(folder, false);
    expect(
      await reopened.transaction((tx) => tx.selectFrom('tenants').select('host').execute()),
    ).toHaveLength(3);
    await reopened.close();
  });

  it.each<[string, (file: string) => void, Partial<ReturnType<typeof target>> | object, RegExp]>([
    ['damaged', (file) => damage(file), {}, /was changed or cut/],
    [
      'something else',
      (file) => writeFileSync(file, 'x'.repeat(8_192)),
      {},
      /is not a database of memberdoor/,
    ],
    ['empty', (file) => writeFileSync(file, ''), {}, /is not a database of memberdoor/],
    ['of a newer version', (file) => addMigration(file), {}, /is of a newer version than this one: 9999/],
    ['of another environment', () => {}, { environment: 'development' }, /was made in production/],
    ['of another key', () => {}, { vault: openVault(Buffer.alloc(32)) }, /master key is not the one/],
  ])('refuses a file that is %s, and changes nothing', async (_what, change, other, message) => {
    const file = join(temporaryFolder(), 'backup.db');
    backUp(service.folder, file);
    change(file);
    const folder = join(temporaryFolder(), 'data');
    const refused = restore({ ...target(folder), ...other }, file, 0);
    await expect(refused).rejects.toThrow(StartupError);
    await expect(refused).rejects.toThrow(message);
    expect(existsSync(folder)).toBe(false);
  });

  it('F17: refuses a backup with a changed byte or without its end, also when it is only checked', async () => {
    const file = join(temporaryFolder(), 'backup.db');
    backUp(service.folder, file);
    const bytes = readFileSync(file);
    expect(checkBackup(target(service.folder), file).counts.tenants).toBe(3);
    // A letter of a name: SQLite finds nothing wrong with that.
    const letter = bytes.indexOf('u1@');
    expect(letter).toBeGreaterThan(0);
    const changes: readonly [number, string][] = [
      [letter, 'a letter'],
      [30, 'the number of pages'],
      [bytes.length >> 1, 'the middle'],
      [bytes.length - 2, 'the checksum'],
    ];
    const folder = join(temporaryFolder(), 'data');
    for (const [at, what] of changes) {
      writeFileSync(file, bytes);
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      writeFileSync(file, changed);
      expect(() => checkBackup(target(folder), file), what).toThrow(StartupError);
      await expect(restore(target(folder), file, 0), what).rejects.toThrow(/was changed or cut/);
    }
    for (const length of [bytes.length - 1, bytes.length - 100, bytes.length >> 1]) {
      writeFileSync(file, bytes.subarray(0, length));
      await expect(restore(target(folder), file, 0)).rejects.toThrow(/was changed or cut/);
    }
    expect(existsSync(folder)).toBe(false);
  });

  it('says of a folder that it is no file, also when it is only checked', async () => {
    const given = temporaryFolder();
    const message = `${given} is not a file, and a backup is one.`;
    expect(() => checkBackup(target(service.folder), given)).toThrow(new StartupError(message));
    await expect(restore(target(temporaryFolder()), given, 0)).rejects.toThrow(new StartupError(message));
  });

  it('F17: takes a backup without a checksum, as older versions made them, and says so', async () => {
    const file = join(temporaryFolder(), 'older.db');
    const sqlite = new SQLite(join(service.folder, 'memberdoor.db'), { readonly: true });
    sqlite.prepare('vacuum into ?').run(file);
    sqlite.close();
    expect(checkBackup(target(service.folder), file).hasChecksum).toBe(false);
    await restore(target(temporaryFolder()), file, 0);
  });

  it('F17: leaves the checksum behind, so that the restored database is a database and no more', async () => {
    const file = join(temporaryFolder(), 'backup.db');
    backUp(service.folder, file);
    const folder = temporaryFolder();
    expect(checkBackup(target(folder), file).hasChecksum).toBe(true);
    await restore(target(folder), file, 0);
    expect(statSync(join(folder, 'memberdoor.db')).size % 4_096).toBe(0);
  });

  it('ends what its machines end one by one', () => {
    expect(movesOfRestore()).toEqual({
      authorizationCodes: [{ from: 'issued', to: 'burned' }],
      deviceCodes: [
        { from: 'pending', to: 'withdrawn' },
        { from: 'approved', to: 'withdrawn' },
      ],
      emailProofs: [
        { from: 'pending', to: 'expired' },
        { from: 'proven', to: 'expired' },
      ],
      sessions: [{ from: 'active', to: 'ended' }],
      signIns: [{ from: 'active', to: 'ended' }],
    });
  });
});

/** Overwrites pages behind the first. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 8_192, 40_000);
  writeFileSync(file, bytes);
}

function addMigration(file: string): void {
  dropChecksum(file);
  const sqlite = new SQLite(file);
  sqlite.prepare('insert into kysely_migration values (?, ?)').run('9999-later', '');
  sqlite.close();
  appendChecksum(file);
}
