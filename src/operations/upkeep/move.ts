// Moves a stopped service from the data folder into PostgreSQL, and back.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyAll, type Progress, type ReadSide, type TableCopy } from '../../storage/move/copy.ts';
import type { MovedTable } from '../../storage/move/tables.ts';
import { lockFolder } from '../../storage/sqlite/lock.ts';
import { openSource as openFileSource, openTarget as openFileTarget } from '../../storage/sqlite/move.ts';
import { databaseFile, openStore } from '../../storage/sqlite/open.ts';
import { asStartupError, syncToDisk } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { prepareUpgrade } from './backup.ts';
import { moveAway } from './restore.ts';

/** From where to where: one of them is a data folder, the other the address of a PostgreSQL database. */
export interface Places {
  readonly dataFolder: string;
  readonly databaseUrl: string;
}

export interface MoveOptions {
  /** Whether a service of an older version is brought to this one. */
  readonly migrate: boolean;
  readonly tell: Progress;
}

/** What was copied of each table. */
export type Copied = Readonly<Record<MovedTable, TableCopy>>;

const notMoved = 'The service was not moved, and nothing was changed';
const unanswered =
  'The database did not say whether it has taken the service: move it again, which is refused where it has';
const notRenamed = 'The service is in the database, but its file could not be given another name';

/** @param what begins the line, where the error is one for the operator */
async function orSay<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asStartupError(error, what) ?? error;
  }
}

/**
 * Copies the service of a data folder into an empty database. What was issued goes on: no member is signed out. The file
 * gets another name then, so that no start takes up what has moved.
 *
 * @param now ms
 * @returns with what was copied the name that the file has now
 * @throws StartupError if the service runs, or the database is not empty, or either is of another version
 */
export async function moveToPostgres(
  { dataFolder, databaseUrl }: Places,
  { migrate, tell }: MoveOptions,
  now: number,
): Promise<{ readonly copied: Copied; readonly kept: string | null }> {
  const { openTarget } = await import('../../storage/postgres/move.ts');
  const { lock, source } = await orSay(notMoved, () => openFile(dataFolder, migrate));
  try {
    const target = await orSay(notMoved, () => openTarget(databaseUrl));
    let copied: Copied;
    try {
      copied = await orSay(notMoved, () => copyAll(source, target, tell));
      await orSay(unanswered, () => target.commit());
    } finally {
      await target.close();
    }
    source.close();
    const kept = await orSay(notRenamed, () => moveAway(dataFolder, 'moved', now));
    return { copied, kept };
  } finally {
    source.close();
    lock.close();
  }
}

/** Opens the file of a folder as a start does, which makes sure that it is whole, and then for reading alone. */
async function openFile(dataFolder: string, migrate: boolean) {
  prepareUpgrade(dataFolder, migrate);
  await (await openStore(dataFolder, false)).close();
  const lock = lockFolder(dataFolder);
  try {
    return { lock, source: openFileSource(join(dataFolder, databaseFile)) };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * The way back: copies the service of a database into a folder without one. The database stays as it is.
 *
 * @throws StartupError if a process of the service runs, or the folder has a database; nothing was changed then
 */
export async function moveToFolder(
  { dataFolder, databaseUrl }: Places,
  { migrate, tell }: MoveOptions,
): Promise<Copied> {
  const { openSource } = await import('../../storage/postgres/move.ts');
  return orSay(notMoved, async () => {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const lock = lockFolder(dataFolder);
    try {
      refuseFilled(dataFolder);
      const source = await openSource(databaseUrl, migrate);
      try {
        return await fillFolder(dataFolder, source, tell);
      } finally {
        await source.close();
      }
    } finally {
      lock.close();
    }
  });
}

/** @throws StartupError if there is a database in the folder, or a log of one */
function refuseFilled(dataFolder: string): void {
  const path = join(dataFolder, databaseFile);
  const found = [path, `${path}-wal`].find(existsSync);
  if (found !== undefined)
    throw new StartupError(`${found} is there already, and a service moves into an empty folder.`);
}

/** What holds the new file until it is whole; one that is there is left over from a move that was cut off. */
const staging = 'moving-';

/** The file gets its name when all of it is on the disk. */
async function fillFolder(
  dataFolder: string,
  source: ReadSide & { leave(): Promise<void> },
  tell: Progress,
): Promise<Copied> {
  for (const name of readdirSync(dataFolder)) {
    if (name.startsWith(staging)) rmSync(join(dataFolder, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(dataFolder, staging));
  try {
    const path = join(folder, databaseFile);
    await (await openStore(folder, true)).close();
    const target = openFileTarget(path);
    let copied: Copied;
    try {
      copied = await copyAll(source, target, tell);
      await source.leave();
      target.commit();
    } finally {
      target.close();
    }
    chmodSync(path, 0o600);
    syncToDisk(path);
    renameSync(path, join(dataFolder, databaseFile));
    syncToDisk(dataFolder);
    return copied;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
