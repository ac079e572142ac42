// Opens a PostgreSQL database, and runs transactions in it.
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { postgresRetries } from '../../core/operators/limits.ts';
import { StartupError } from '../../system/startup-error.ts';
import { type Connection, connect } from '../prepared.ts';
import type { Database } from '../schema.ts';
import { type CommitObserver, StorageUnavailable, type Store, type Tx } from '../store.ts';
import { keepPrepared, openPool } from './client.ts';
import { isDuplicate, isOutage, isUnfinished } from './errors.ts';
import { type Allowed, migrate } from './migrate.ts';

/** Who is told of what happens to a store. */
interface Surroundings {
  readonly commit?: CommitObserver | undefined;
}

/**
 * Opens a database and brings it to the newest schema. Any number of processes may have it open: what one has
 * committed, the others obey in every transaction that begins afterwards (decision 51).
 *
 * @param url `postgres://user:password@host:port/database`
 * @param may what is to be done with an empty database, and with one of an older version
 * @throws StartupError in one line, without the password: not reachable, empty, or of another version
 */
export async function openPostgres(
  url: string,
  may: Allowed,
  { commit: observe }: Surroundings = {},
): Promise<Store> {
  const pool = openPool(url);
  const kysely = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(pool, may);
  } catch (error) {
    await pool.end();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database cannot be reached: ${(error as Error).message}.`);
  }
  const remembered = createMemory();
  let waiting = 0;
  let retries = 0;
  const enter = createLane();
  const ranAgain = () => {
    retries += 1;
  };

  const attempt = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    kysely.connection().execute(async (connection) => {
      const tx = connection as Tx;
      const begun = await tx.executeQuery<{ version: number }>(begin);
      const version = begun.rows[0]?.version ?? 0;
      const own = connectionOn(tx, version, remembered.of(version));
      connect(tx, own);
      try {
        const result = await work(tx);
        await tx.executeQuery(commit);
        return result;
      } catch (error) {
        // What keeps the connection from being rolled back keeps it from being used again: the pool drops it.
        await tx.executeQuery(rollback).catch(() => {});
        throw error;
      }
    });

  return {
    isShared: true,
    transaction: async (work) => {
      const begunAt = performance.now();
      waiting += 1;
      try {
        return await untilDone(() => attempt(work), { enter, ranAgain });
      } finally {
        waiting -= 1;
        observe?.(performance.now() - begunAt, 1);
      }
    },
    waiting: () => waiting,
    figures: async () => ({
      bytes: { database: await sizeOf(kysely) },
      connections: pool.counts(),
      retries,
    }),
    isLost: () => false,
    clean: () => {},
    cleaningAt: () => null,
    close: () => pool.end(),
  };
}

/** The version of what is remembered comes in the round trip that begins the transaction. */
const begin = CompiledQuery.raw('begin isolation level serializable; select version from remembered');
const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');

/** Bytes, indexes included. */
async function sizeOf(kysely: Kysely<Database>): Promise<number> {
  const asked = CompiledQuery.raw('select pg_database_size(current_database()) as size');
  return (await kysely.executeQuery<{ size: number }>(asked)).rows[0]?.size ?? 0;
}

/**
 * Runs work again while others are in its way: one piece of this process at a time, so that of many that want the same
 * rows one is always done, and after a pause, which keeps processes out of each other's way.
 */
async function untilDone<T>(
  attempt: () => Promise<T>,
  { enter, ranAgain }: { readonly enter: Lane; readonly ranAgain: () => void },
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await (tried === 1 ? attempt() : enter(attempt));
    } catch (error) {
      if (isOutage(error)) throw unavailable(error);
      if (!isUnfinished(error) && !isDuplicate(error)) throw error;
      const most = isDuplicate(error) ? postgresRetries.ofDuplicates : postgresRetries.most;
      if (tried > most) throw isDuplicate(error) ? error : unavailable(error);
      ranAgain();
      await wait(randomInt(1, postgresRetries.step * 2 ** Math.min(tried, postgresRetries.doublings)));
    }
  }
}

type Lane = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets in one piece of work at a time, in the order in which they came. */
function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  };
}

const unavailable = (cause: unknown) =>
  new StorageUnavailable('the transaction could not be committed', { cause });

/** What is remembered between transactions, while the database says that nothing of it has changed. */
function createMemory() {
  let version = -1;
  let memory = new Map<string, object>();
  return {
    /** The memory of a transaction that sees a version. One that began before the newest keeps what it finds to itself. */
    of(seen: number): Map<string, object> {
      if (seen < version) return new Map();
      if (seen > version) memory = new Map();
      version = seen;
      return memory;
    },
  };
}

function connectionOn(tx: Tx, begunAt: number, memory: Map<string, object>): Connection {
  const ask = (text: string, values: readonly unknown[]) => {
    keepPrepared(text);
    return tx.executeQuery<unknown>(CompiledQuery.raw(text, [...values]));
  };
  let version = begunAt;
  let current = memory;
  return {
    first: async ({ postgres }, values) => (await ask(postgres, values)).rows[0],
    all: async ({ postgres }, values) => (await ask(postgres, values)).rows,
    run: async ({ postgres }, values) => Number((await ask(postgres, values)).numAffectedRows ?? 0n),
    isSnapshot: false,
    get version() {
      return version;
    },
    get memory() {
      return current;
    },
    forget: async () => {
      // What this transaction reads from now on may be taken back with it.
      current = new Map();
      const changed = await tx.executeQuery<{ version: number }>(change);
      version = changed.rows[0]?.version ?? version;
    },
  };
}

const change = CompiledQuery.raw('update remembered set version = version + 1 returning version');
