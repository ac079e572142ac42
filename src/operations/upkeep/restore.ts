// Restores a backup.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Vault } from '../../secrets/vault.ts';
import { schemaDifference } from '../../storage/facts.ts';
import { endEverything } from '../../storage/operators/restore.ts';
import { dropChecksum, hasRightChecksum, readDatabase } from '../../storage/sqlite/backup.ts';
import { lockFolder } from '../../storage/sqlite/lock.ts';
import { databaseFile, openStore } from '../../storage/sqlite/open.ts';
import { asStartupError, syncToDisk } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';

/** Where to restore to, and as whose. */
export interface RestoreTarget extends Pick<Config, 'dataFolder' | 'environment'> {
  /** null where the key is lost: then the file may be of any. */
  readonly vault: Pick<Vault, 'keyCheck'> | null;
}

/**
 * Puts a backup in the place of a data folder's database, and ends everything that was issued before: the
 * backup has forgotten what was rotated and revoked since (security, promise 6). The database that was there
 * is kept beside it, unopened: it may be the reason for all this.
 *
 * @param now ms
 * @throws StartupError if a service is running, or the file is not a sound backup for this key; nothing was
 *   changed then
 */
export async function restore(target: RestoreTarget, file: string, now: number) {
  const { dataFolder } = target;
  checkBackup(target, file);
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const lock = lockFolder(dataFolder);
    try {
      return await replace(dataFolder, file, now);
    } finally {
      lock.close();
    }
  } catch (error) {
    throw asStartupError(error, `${file} was not restored, and nothing was changed`) ?? error;
  }
}

/** @returns what was ended, and where the database lies that was there before; null if there was none */
async function replace(dataFolder: string, file: string, now: number) {
  // All that can fail is done here, before anything of the folder is touched.
  const staging = mkdtempSync(join(dataFolder, 'restoring-'));
  try {
    const staged = join(staging, databaseFile);
    copyFileSync(file, staged);
    chmodSync(staged, 0o600);
    dropChecksum(staged);
    const store = await openStore(staging, false);
    const ended = await store.transaction((tx) => endEverything(tx, now)).finally(() => store.close());
    syncToDisk(staged);
    const kept = moveAway(dataFolder, 'before', now);
    renameSync(staged, join(dataFolder, databaseFile));
    syncToDisk(dataFolder);
    return { ended, kept };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Makes sure that a file is a backup that can be restored here: every byte of it is as it was written, and it is of
 * this environment, this master key and no newer version. Nothing is changed.
 *
 * @returns what it holds, and whether it has a checksum, which is right then
 * @throws StartupError
 */
export function checkBackup({ environment, vault }: RestoreTarget, file: string) {
  const hasChecksum = hasRightChecksum(file);
  const facts = readDatabase(file);
  const { unknown } = schemaDifference(facts.schema);
  if (unknown.length > 0) {
    throw new StartupError(`The file ${file} is of a newer version than this one: ${unknown.join(', ')}.`);
  }
  if (facts.environment !== environment) {
    throw new StartupError(`The file ${file} was made in ${facts.environment}, and this is ${environment}.`);
  }
  if (vault !== null && facts.keyCheck !== vault.keyCheck) {
    throw new StartupError(
      `The master key is not the one that the file ${file} was made with. Give that one; if it is lost for good, restore with --lost-master-key, and then make new keys ("memberdoor new-keys --lost-master-key").`,
    );
  }
  return { ...facts, hasChecksum };
}

/**
 * Gives the database of a locked folder another name, with the log that a killed process left beside it.
 *
 * The database goes first: a folder that lacks it is never started, while one that lacks only its write-ahead
 * log would start without what was written last.
 */
export function moveAway(dataFolder: string, why: 'before' | 'moved', now: number): string | null {
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const kept = join(dataFolder, `memberdoor-${why}-${stamp}.db`);
  const present = ['', '-wal', '-shm'].filter((end) => existsSync(join(dataFolder, databaseFile + end)));
  for (const end of present) renameSync(join(dataFolder, databaseFile + end), kept + end);
  return present.includes('') ? kept : null;
}
