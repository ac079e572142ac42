// Writes a backup of the database, and the copy of one of an older version: there is no other way back.
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ServiceConfig } from '../../config.ts';
import { schemaDifference } from '../../storage/facts.ts';
import {
  appendChecksum,
  copyDatabase,
  type FileFacts,
  hasRightChecksum,
  pendingMigrations,
  readDatabase,
} from '../../storage/sqlite/backup.ts';
import { lockFolder } from '../../storage/sqlite/lock.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import type { Store } from '../../storage/store.ts';
import { asStartupError, reasonOf, rightsProblem, syncToDisk } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';

/**
 * Writes a copy of a data folder's database, while a service is using it or not. The file appears under its
 * name only when it is whole, on the disk and read back; it is readable by its owner alone, and ends with a
 * checksum of itself.
 *
 * The master key is no part of it: keep that elsewhere, since without it the copy is worth nothing.
 *
 * @param file never overwritten
 * @throws StartupError
 */
export function backUp(dataFolder: string, file: string): FileFacts {
  const target = resolve(file);
  const part = `${target}.part`;
  if (existsSync(target)) throw new StartupError(`The file ${target} is there already.`);
  createEmpty(part);
  try {
    const facts = writeBackup(dataFolder, part);
    const { missing, unknown } = schemaDifference(facts.schema);
    if (missing.length + unknown.length > 0) {
      throw new StartupError(`The database in ${dataFolder} is of another version: ${facts.schema.at(-1)}.`);
    }
    giveName(part, target);
    syncToDisk(dirname(target));
    noteBackup(dataFolder, target);
    return facts;
  } finally {
    rmSync(part, { force: true });
  }
}

/** In the data folder: names the last backup, and its own time is that backup's. */
export const lastBackupFile = 'memberdoor.backup';

/**
 * Says when a service was backed up last (ms), and 0 if it never was; null where that is not looked after here: a
 * database has backups of its own, and what is tried out needs none.
 */
export function backupTime(
  { environment, dataFolder }: Pick<ServiceConfig, 'environment' | 'dataFolder'>,
  { isShared }: Pick<Store, 'isShared'>,
): () => number | null {
  if (environment !== 'production' || isShared || dataFolder === null) return () => null;
  const file = join(dataFolder, lastBackupFile);
  return () => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** A folder that cannot be written to, or is full, is backed up all the same. */
function noteBackup(dataFolder: string, target: string): void {
  try {
    writeFileSync(join(dataFolder, lastBackupFile), `${target}\n`, { mode: 0o600 });
  } catch {
    // The metrics show an older backup then.
  }
}

/** Writes the copy, with its checksum, and reads it back. @param file empty @throws StartupError */
function writeBackup(dataFolder: string, file: string): FileFacts {
  copyDatabase(dataFolder, file);
  appendChecksum(file);
  syncToDisk(file);
  hasRightChecksum(file);
  return readDatabase(file);
}

/** Makes a file that its owner alone can read. @throws StartupError if there is one */
function createEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    if (code === 'EEXIST') {
      throw new StartupError(`The file ${path} is there: of a backup that runs, or that was cut off.`);
    }
    throw new StartupError(`The file ${path} cannot be made: ${reasonOf(error)}.`);
  }
}

/** A link fails where a rename would overwrite; not every file system of a backup disk knows links. */
function giveName(part: string, target: string): void {
  try {
    linkSync(part, target);
    unlinkSync(part);
  } catch {
    if (existsSync(target)) throw new StartupError(`The file ${target} is there already.`);
    renameSync(part, target);
  }
}

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
