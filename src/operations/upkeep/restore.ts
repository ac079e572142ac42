import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Vault } from '../../secrets/vault.ts';
import { StartupError } from '../../startup-error.ts';
import { readDatabase, schemaDifference } from '../../storage/backup.ts';
import { type Ended, endEverything } from '../../storage/operators/restore.ts';
import { databaseFile, lockFolder, openStore } from '../../storage/store.ts';
import { syncToDisk } from './backup.ts';

/** What a restore did. */
export interface Restored {
  readonly ended: Ended;
  /** Where the database lies that was there before; null if there was none. */
  readonly kept: string | null;
}

/** Where to restore to, and as whose. */
export interface RestoreTarget extends Pick<Config, 'dataFolder' | 'environment'> {
  readonly vault: Pick<Vault, 'keyCheck'>;
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
export async function restore(target: RestoreTarget, file: string, now: number): Promise<Restored> {
  const { dataFolder } = target;
  checkFile(target, file);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dataFolder);
  // All that can fail is done here, before anything of the folder is touched.
  const staging = mkdtempSync(join(dataFolder, 'restoring-'));
  try {
    const staged = join(staging, databaseFile);
    copyFileSync(file, staged);
    chmodSync(staged, 0o600);
    const store = await openStore(staging, false);
    let ended: Ended;
    try {
      ended = await store.transaction((tx) => endEverything(tx, now));
    } finally {
      await store.close();
    }
    syncToDisk(staged);
    const kept = moveAway(dataFolder, now);
    renameSync(staged, join(dataFolder, databaseFile));
    syncToDisk(dataFolder);
    return { ended, kept };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    lock.close();
  }
}

function checkFile({ environment, vault }: RestoreTarget, file: string): void {
  const facts = readDatabase(file);
  const { unknown } = schemaDifference(facts);
  if (unknown.length > 0) {
    throw new StartupError(`The file ${file} is of a newer version than this one: ${unknown.join(', ')}.`);
  }
  if (facts.environment !== environment) {
    throw new StartupError(`The file ${file} was made in ${facts.environment}, and this is ${environment}.`);
  }
  if (facts.keyCheck !== vault.keyCheck) {
    throw new StartupError(`The master key is not the one that the file ${file} was made with.`);
  }
}

/**
 * The database goes first: a folder that lacks it is never started, while one that lacks only its write-ahead
 * log would start without what was written last.
 */
function moveAway(dataFolder: string, now: number): string | null {
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const kept = join(dataFolder, `memberdoor-before-${stamp}.db`);
  const present = ['', '-wal', '-shm'].filter((end) => existsSync(join(dataFolder, databaseFile + end)));
  for (const end of present) renameSync(join(dataFolder, databaseFile + end), kept + end);
  return present.includes('') ? kept : null;
}
