// Writes a backup of the database.
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  appendChecksum,
  copyDatabase,
  type FileFacts,
  hasRightChecksum,
  readDatabase,
  schemaDifference,
} from '../../storage/sqlite/backup.ts';
import { reasonOf, syncToDisk } from '../../system/files.ts';
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
    const { missing, unknown } = schemaDifference(facts);
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

/** A folder that cannot be written to, or is full, is backed up all the same. */
function noteBackup(dataFolder: string, target: string): void {
  try {
    writeFileSync(join(dataFolder, lastBackupFile), `${target}\n`, { mode: 0o600 });
  } catch {
    // The metrics show an older backup then.
  }
}

/** Writes the copy, with its checksum, and reads it back. @param file empty @throws StartupError */
export function writeBackup(dataFolder: string, file: string): FileFacts {
  copyDatabase(dataFolder, file);
  appendChecksum(file);
  syncToDisk(file);
  hasRightChecksum(file);
  return readDatabase(file);
}

/** Makes a file that its owner alone can read. @throws StartupError if there is one */
export function createEmpty(path: string): void {
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
