// What is done about a database of an older version before it is brought to this one: there is no other way back.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pendingMigrations } from '../../storage/sqlite/backup.ts';
import { lockFolder } from '../../storage/sqlite/lock.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import { asStartupError, rightsProblem, syncToDisk } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { createEmpty, writeBackup } from './backup.ts';

const copyName = /^memberdoor-before-upgrade-of-\d{4}-[\w-]+\.db$/;

/**
 * Copies a database of an older version beside itself, before anything brings it to this one. The copy is a backup as
 * `memberdoor backup` writes them.
 *
 * @param mayMigrate whether that was asked for: a start does it by itself, another command only where it is told to
 * @returns the copy; null where the database is of this version, or there is none
 * @throws StartupError if it was not asked for, or the copy cannot be made; nothing was changed then
 */
export function prepareUpgrade(dataFolder: string, mayMigrate: boolean): string | null {
  const path = join(dataFolder, databaseFile);
  const pending = existsSync(path) ? pendingMigrations(path) : null;
  if (pending === null) return null;
  const { newest, missing } = pending;
  if (!mayMigrate) {
    throw new StartupError(
      `The database ${path} is of an older version (${newest}), and this command would bring it to this one (${missing.join(', ')}), which the older version cannot use any more. Nothing was done: --migrate does it, and copies the database beside itself first.`,
    );
  }
  // The service of the older version may be running on it.
  const lock = lockFolder(dataFolder);
  const copy = join(dataFolder, `memberdoor-before-upgrade-of-${newest}.db`);
  const part = `${copy}.part`;
  try {
    // What a start left that was cut off.
    rmSync(part, { force: true });
    createEmpty(part);
    writeBackup(dataFolder, part);
    // A copy of an upgrade that failed may lie there: the older version has gone on since.
    renameSync(part, copy);
    syncToDisk(dataFolder);
    return copy;
  } catch (error) {
    rmSync(part, { force: true });
    const what = `${path} is of an older version, and cannot be copied before it is brought to this one; nothing was changed`;
    throw asStartupError(error, what) ?? error;
  } finally {
    lock.close();
  }
}

/** The copies that lie in a data folder. @throws StartupError if this user may not look into it */
export function listUpgradeCopies(dataFolder: string): readonly string[] {
  if (!existsSync(dataFolder)) return [];
  try {
    return readdirSync(dataFolder)
      .filter((name) => copyName.test(name))
      .map((name) => join(dataFolder, name));
  } catch (error) {
    throw rightsProblem(join(dataFolder, databaseFile)) ?? error;
  }
}

/**
 * Tells of the copy that this start made, and deletes those of earlier ones: a later start has gone well, so they
 * are not needed any more.
 *
 * @param earlier the copies that lay there before this start
 * @param made the copy that it made, or null
 */
export function finishUpgrades(
  earlier: readonly string[],
  made: string | null,
  log: { info(facts: object, text: string): void },
): void {
  if (made !== null)
    log.info({ copy: made }, 'the database was brought to this version; this is how it was before');
  for (const copy of earlier) {
    if (copy === made) continue;
    rmSync(copy, { force: true });
    log.info({ copy }, 'the copy of before an earlier upgrade is deleted, since this start went well');
  }
}
