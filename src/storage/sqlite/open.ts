// Opens the database file, and runs transactions in it.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { groupQueue } from '../../core/limits.ts';
import { checkpointPages, databaseCacheKib } from '../../core/operators/store-limits.ts';
import { openFailure, reasonOf, rightsProblem } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import type { Database } from '../schema.ts';
import type { CommitObserver, Store } from '../store.ts';
import { applicationId, checkFile, checkLog, frameHeaderBytes, logHeaderBytes, readAhead } from './check.ts';
import { type Beginning, GroupCommit } from './commit/group-commit.ts';
import { noFile } from './commit/no-file.ts';
import { type DurableFile, durableFile, type FileSurroundings } from './durable-file.ts';
import { checkLock, type FolderLock, lockFolder } from './lock.ts';
import { bringToNewest, checkVersion } from './schema.ts';
import { createStatements, type Statements } from './statements.ts';

/** Who is told of what happens to a store, and what it stands on. */
export interface StoreSurroundings extends FileSurroundings {
  readonly commit?: CommitObserver | undefined;
}

/** The database of a data folder; beside it lie `-wal` and `-shm` while it is open. */
export const databaseFile = 'memberdoor.db';

/**
 * Opens the data folder's database and brings it to the newest schema.
 *
 * @param folder the data folder
 * @param mayInitialise whether a folder without a database is taken for a new service
 * @throws StartupError in one line: locked, unwritable, foreign, empty, corrupt or newer than this version
 */
export async function openStore(
  folder: string,
  mayInitialise: boolean,
  surroundings: StoreSurroundings = {},
): Promise<Store> {
  const path = join(folder, databaseFile);
  const isNew = prepareFolder(folder, path, mayInitialise);
  const lock = lockFolder(folder);
  try {
    if (isNew) makeFile(path);
    const sqlite = openFile(path, lock);
    const store = await storeIn(sqlite, {
      name: path,
      file: () => durableFile(path, sqlite, lock, surroundings),
      bytes: () => ({ database: sizeOf(path), log: sizeOf(`${path}-wal`) }),
      commit: surroundings.commit,
    });
    return { ...store, close: () => store.close().finally(() => lock.close()) };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** A new service whose data are in memory alone, and go with the process: nothing of them is written to a disk. */
export async function openMemoryStore({ commit }: Pick<StoreSurroundings, 'commit'> = {}): Promise<Store> {
  const sqlite = new SQLite(':memory:');
  sqlite.pragma('foreign_keys = on');
  // What is put aside while a query runs would go into a file.
  sqlite.pragma('temp_store = memory');
  const pages = sqlite
    .prepare('select page_count * page_size from pragma_page_count, pragma_page_size')
    .pluck();
  return storeIn(sqlite, {
    name: 'in memory',
    file: () => noFile,
    bytes: () => ({ database: Number(pages.get()) }),
    commit,
  });
}

/** What an open database stands on. */
interface Ground {
  /** What it is called in an error. */
  readonly name: string;
  /** The files behind it, once it has its tables. */
  file(): DurableFile;
  /** How many bytes it takes. */
  bytes(): Readonly<Record<string, number>>;
  readonly commit: CommitObserver | undefined;
}

/** Brings an open database to the newest schema, and runs transactions in it. */
async function storeIn(sqlite: SQLite.Database, { name, bytes, commit, ...ground }: Ground): Promise<Store> {
  const beginning: Beginning = { mode: 'immediate' };
  const statements = createStatements(sqlite);
  const kysely = new Kysely<Database>({
    dialect: new WholeMigrations({ database: cachingStatements(sqlite, statements, beginning) }),
  });
  const file = await bringToNewest(sqlite, kysely, name)
    .then(ground.file)
    .catch((error: unknown) => {
      sqlite.close();
      throw error;
    });
  const group = new GroupCommit(kysely, statements, beginning, file, groupQueue, commit);
  return {
    isShared: false,
    autocommit: null,
    transaction: (work) => group.run(work),
    lookUp: (work) => group.run(work),
    apart: (work) => group.run(work),
    waiting: () => group.waiting,
    figures: async () => ({ bytes: bytes(), connections: {}, retries: 0 }),
    isLost: () => file.check() !== null,
    clean: () => file.clean(),
    cleaningAt: () => file.cleaningAt(),
    close: async () => {
      await group.drained();
      // Closing writes what is in the log into the file, which may be another's now.
      if (!(await file.leave())) return;
      await kysely.destroy();
      // Kysely closes nothing that it was never asked to query.
      if (sqlite.open) sqlite.close();
      file.close();
    },
  };
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function prepareFolder(folder: string, path: string, mayInitialise: boolean): boolean {
  const rights = rightsProblem(path, `${path}-wal`, `${path}-shm`);
  if (rights !== null) throw rights;
  if (existsSync(path)) return false;
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new StartupError(
      `There is no database at ${path}, but its log ${log} is there: it was deleted or moved. Put it back, or restore a backup ("memberdoor restore FILE").`,
    );
  }
  if (!mayInitialise) {
    throw new StartupError(`There is no database at ${path}. A new service is begun with "memberdoor init".`);
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartupError(`The data folder ${folder} cannot be made: ${reasonOf(error)}.`);
  }
  return true;
}

/**
 * SQLite takes back changes of the schema with their transaction, which Kysely is not told: without this each
 * statement of a migration would be there for good, and one cut short by a full disk or a kill never ended.
 */
class WholeMigrations extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSchema();
  }
}

class TransactionalSchema extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Makes a database that holds nothing but our mark. It gets its name when it is whole: an empty file of that
 * name is one that was damaged (security, Z12), not one that was just begun.
 */
function makeFile(path: string): void {
  const begun = `${path}.new`;
  // What a start left that was cut off.
  for (const file of [begun, `${begun}-journal`]) rmSync(file, { force: true });
  try {
    const sqlite = new SQLite(begun);
    sqlite.pragma(`application_id = ${applicationId}`);
    sqlite.close();
    renameSync(begun, path);
  } catch (error) {
    throw new StartupError(`The database ${path} cannot be made: ${reasonOf(error)}.`);
  }
}

function openFile(path: string, lock: FolderLock): SQLite.Database {
  const hasLog = sizeOf(`${path}-wal`) > 0;
  let sqlite: SQLite.Database | undefined;
  try {
    if (statSync(path).size === 0) throw new StartupError(`The database ${path} is an empty file.`);
    readAhead(path);
    checkLog(path);
    sqlite = new SQLite(path, { timeout: 0 });
    checkLock(sqlite, lock, path);
    checkFile(sqlite, path);
    checkVersion(sqlite, path);
    sqlite.pragma('journal_mode = wal');
    // better-sqlite3 falls back to NORMAL when it reopens a WAL file, so it is set each time and read back:
    // what was answered must survive a power cut (security, promise 1).
    sqlite.pragma('synchronous = full');
    sqlite.pragma('foreign_keys = on');
    // What a savepoint may have to take back would go into a file of its own once a group is large.
    sqlite.pragma('temp_store = memory');
    // What is deleted is overwritten; `clean.ts` has the rest of a member who was erased.
    sqlite.pragma('secure_delete = on');
    // What better-sqlite3 begins with today; it must not change unmeasured.
    sqlite.pragma(`cache_size = -${databaseCacheKib}`);
    sqlite.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    // A log that was longer once, as while another program read, is cut when it is begun again: what is behind the
    // pages after which that happens is never overwritten (security, F14).
    const pageBytes = Number(sqlite.pragma('page_size', { simple: true }));
    const logBytes = logHeaderBytes + checkpointPages * (frameHeaderBytes + pageBytes);
    sqlite.pragma(`journal_size_limit = ${logBytes}`);
    if (sqlite.pragma('synchronous', { simple: true }) !== 2) {
      throw new StartupError(`The database ${path} does not accept synchronous=FULL.`);
    }
    return sqlite;
  } catch (error) {
    // A refused file is left as it was found. Closing takes back the empty log that opening made beside it, but
    // would fold one with something in it into the damaged file: that one is let go of when the process ends.
    if (!hasLog) sqlite?.close();
    throw openFailure(path, error);
  }
}

/**
 * What Kysely asks of better-sqlite3, with each statement prepared once. Transactions begin IMMEDIATE: a
 * deferred one may have to give up in the middle when it turns from reading to writing.
 */
function cachingStatements(sqlite: SQLite.Database, statements: Statements, beginning: Beginning) {
  return {
    prepare: (text: string) => {
      // A transaction that SQLite took back by itself, on a full disk say, is rolled back: asked again it would
      // say so, instead of why.
      if (text === 'rollback' && !sqlite.inTransaction) return statements.prepare('select 1');
      return statements.prepare(text === 'begin' ? `begin ${beginning.mode}` : text);
    },
    close: () => {
      sqlite.close();
    },
  };
}
