// Opens a PostgreSQL database, and runs transactions in it.
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { postgresRetries } from '../../core/operators/store-limits.ts';
import { StartupError } from '../../system/startup-error.ts';
import { type CommitObserver, StorageUnavailable, type Store, type Tx } from '../store.ts';
import { openAutocommit } from './autocommit.ts';
import { openHurriedPool, openPool, type Patience } from './client.ts';
import { isDuplicate, isOutage, isUnfinished } from './errors.ts';
import { createMemory } from './memory.ts';
import { type Allowed, migrate } from './migrate.ts';
import { alone, createAttempt } from './transaction/attempt.ts';
import { createGroups } from './transaction/groups.ts';
import { createLane, type Lane } from './transaction/lane.ts';
import { createLookUps } from './transaction/look-ups.ts';
import { createRoom } from './transaction/room.ts';

/** Who is told of what happens to a store, and how long it waits for the database. */
interface Surroundings extends Patience {
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
  { commit: observe, ...patience }: Surroundings = {},
): Promise<Store> {
  const pool = await openMigrated(url, may, patience);
  const remembered = createMemory();
  const autocommit = openAutocommit(url, patience);
  let waiting = 0;
  let retries = 0;
  const lane = createLane();
  const ranAgain = () => {
    retries += 1;
  };
  const room = createRoom();
  const attempt = createAttempt(pool, remembered, observe, room.heard);
  const attemptUnobserved = createAttempt(pool, remembered);
  const together = createGroups(attempt, { lane, room, ranAgain }, patience);

  const change: Store['transaction'] = (work) =>
    untilDone(
      () => together(work),
      () => attempt('changes', alone(work)),
      { lane, ranAgain },
    );
  const changeApart: Store['apart'] = (work) => {
    const tried = () => attempt('apart', alone(work));
    return untilDone(tried, tried, { lane, ranAgain });
  };
  const counted = async <T>(done: Promise<T>): Promise<T> => {
    waiting += 1;
    try {
      return await done;
    } finally {
      waiting -= 1;
    }
  };

  const lookUp = createLookUps(pool, remembered, change);

  return {
    isShared: true,
    autocommit: autocommit.tx,
    transaction: (work) => counted(change(work)),
    apart: (work) => counted(changeApart(work)),
    lookUp: (work) =>
      counted(lookUp(work)).catch((error: unknown) => {
        throw isOutage(error) ? unavailable(error) : error;
      }),
    waiting: () => waiting,
    figures: async () => ({
      bytes: { database: await attemptUnobserved('changes', alone(sizeIn)) },
      connections: sumOf(pool.counts(), autocommit.counts()),
      retries,
    }),
    isLost: () => false,
    clean: () => {},
    cleaningAt: () => null,
    close: async () => {
      await Promise.all([pool.end(), autocommit.end()]);
    },
  };
}

/** A migration takes as long as the tables are large: its connection has no times of requests. */
async function openMigrated(url: string, may: Allowed, patience: Patience) {
  const unhurried = openPool(url, { max: 1 }, patience);
  const pool = openHurriedPool(url, {}, patience);
  try {
    await migrate(unhurried, may);
    // By its connections the server knows a process that uses the database.
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database cannot be reached: ${(error as Error).message}.`);
  } finally {
    await unhurried.end();
  }
}

const sumOf = <Name extends string>(one: Record<Name, number>, other: Record<Name, number>) =>
  Object.fromEntries(Object.entries(one).map(([name, count]) => [name, Number(count) + other[name as Name]]));

/** Bytes, indexes included. */
async function sizeIn(tx: Tx): Promise<number> {
  const asked = CompiledQuery.raw('select pg_database_size(current_database()) as size');
  return (await tx.executeQuery<{ size: number }>(asked)).rows[0]?.size ?? 0;
}

/**
 * Runs work again while others are in its way: one piece of this process at a time, so that of many that want the same
 * rows one is always done, and after a pause, which keeps processes out of each other's way.
 */
async function untilDone<T>(
  first: () => Promise<T>,
  again: () => Promise<T>,
  { lane, ranAgain }: { readonly lane: Lane; readonly ranAgain: () => void },
): Promise<T> {
  const known = lane.newest();
  for (let tried = 1; ; tried += 1) {
    try {
      return await (tried === 1 ? first() : lane.enter(again, known));
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

const unavailable = (cause: unknown) =>
  new StorageUnavailable('the transaction could not be committed', { cause });
