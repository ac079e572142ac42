import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore, type StoreSurroundings } from '../../../src/storage/sqlite/open.ts';
import type { Store } from '../../../src/storage/store.ts';

/** The address of the PostgreSQL server, ending before the name of a database; undefined where the engine is SQLite. */
const server = () => (process.env.TEST_ENGINE === 'postgres' ? process.env.TEST_POSTGRES : undefined);

const hour = 3_600_000;

/** How long a test waits for PostgreSQL: a machine that stands still for seconds is no outage of the database. */
export const ample = {
  turn: hour,
  connection: hour,
  answer: hour,
  statement: hour,
  idleInTransaction: hour,
  longAnswer: hour,
  keepAlive: hour,
};

/** Has every table and no row of ours: making the tables takes longer than copying them. */
export const emptyDatabase = 'empty';

/** Has the name of a folder's database in PostgreSQL, which a folder of SQLite holds itself. */
const nameFile = 'database-name';
/** Has the name of the database that those of a folder's copies begin as. */
const templateFile = 'template-name';

export const isNameFile = (path: string): boolean => path.endsWith(nameFile);

/** @param url the server's */
export async function ask(url: string | undefined, statement: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The store of a test's folder, on the engine that the run is for. */
export async function openTestStore(
  folder: string,
  mayInitialise: boolean,
  surroundings: StoreSurroundings = {},
): Promise<Store> {
  if (server() === undefined) return openStore(folder, mayInitialise, surroundings);
  return openShared(await databaseOf(folder), surroundings, mayInitialise);
}

/** One of the stores of a PostgreSQL database. */
export async function openShared(
  url: string,
  surroundings: StoreSurroundings = {},
  initialise = true,
): Promise<Store> {
  // Tests of SQLite need no driver.
  const { openPostgres } = await import('../../../src/storage/postgres/open.ts');
  return openPostgres(url, { initialise, migrate: true }, { times: ample, ...surroundings });
}

/** An empty PostgreSQL database, which any number of stores may share, also in a run for SQLite. @returns its address */
export async function sharedDatabase(): Promise<string> {
  return `${process.env.TEST_POSTGRES}/${await makeDatabase(process.env.TEST_POSTGRES)}`;
}

/** The stores of two processes on one database of their own, and how each asks beside its transactions. */
export async function twoStores() {
  const url = await sharedDatabase();
  const stores = await Promise.all([openShared(url), openShared(url)]);
  const [one, other] = stores;
  const asking = ({ autocommit }: Store) => {
    if (autocommit === null) throw new Error('the store is not shared');
    return autocommit;
  };
  const stop = () => Promise.all(stores.map((store) => store.close()));
  return { one, other, autocommits: [asking(one), asking(other)] as const, stop };
}

/** @returns false where the template is in use */
const isMade = (url: string | undefined, statement: string) =>
  ask(url, statement).then(
    () => true,
    (error: unknown) => {
      if ((error as { code?: string }).code === '55006') return false;
      throw error;
    },
  );

async function databaseOf(folder: string): Promise<string> {
  const file = join(folder, nameFile);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    // A folder of fixtures names what its database is copied from.
    const from = join(folder, templateFile);
    writeFileSync(
      file,
      await makeDatabase(server(), existsSync(from) ? readFileSync(from, 'utf8') : undefined),
    );
  }
  return `${server()}/${readFileSync(file, 'utf8')}`;
}

/** @returns its name */
async function makeDatabase(url: string | undefined, template = emptyDatabase): Promise<string> {
  const name = `t${randomUUID().replaceAll('-', '')}`;
  // The server may still be ending the connection that filled the template.
  while (!(await isMade(url, `create database ${name} template ${template} strategy file_copy`))) {
    await wait(20);
  }
  return name;
}

/** Lets folders that are copied from one begin with what its database holds. The database may not be open. */
export function makeTemplate(folder: string): void {
  if (server() === undefined) return;
  writeFileSync(join(folder, templateFile), readFileSync(join(folder, nameFile), 'utf8'));
}

/** Whether a folder has its database already. */
export const hasDatabase = (folder: string): boolean => existsSync(join(folder, nameFile));

/** The address of the database of a folder, for a process that opens it; undefined where it is in the folder itself. */
export const databaseAddress = async (folder: string): Promise<string | undefined> =>
  server() === undefined ? undefined : databaseOf(folder);
