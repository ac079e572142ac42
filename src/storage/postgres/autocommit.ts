// Asks statements beside the transactions, each committed by itself.
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { postgresPool, postgresRetries } from '../../core/operators/store-limits.ts';
import { connect } from '../prepared.ts';
import type { QueryText } from '../query-text.ts';
import { StorageUnavailable } from '../store.ts';
import { openHurriedPool, type Patience, type Statement, send } from './client.ts';
import { ConnectionLost, isOutage, isUnfinished } from './errors.ts';
import { handleOn } from './transaction/handle.ts';

/**
 * What `Store.autocommit` is on PostgreSQL. It has connections of its own, so that a transaction which waits for an
 * answer never waits for another transaction. None of its commits waits for the disk.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function openAutocommit(url: string, patience: Patience) {
  const others = { max: postgresPool.autocommit, options: '-c synchronous_commit=off' };
  const pool = openHurriedPool(url, others, patience);
  const askOnce = async (statement: Statement): Promise<pg.QueryResult> => {
    const client = await pool.connect();
    let isBroken = false;
    try {
      return await new Promise((resolve, reject) => {
        send(client, statement, (error, answer) => (error === null ? resolve(answer) : reject(error)), true);
      });
    } catch (error) {
      isBroken = error instanceof ConnectionLost;
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  const ask = async (statement: Statement): Promise<pg.QueryResult> => {
    for (let tried = 1; ; tried += 1) {
      try {
        return await askOnce(statement);
      } catch (error) {
        if (!isUnfinished(error) && !isOutage(error)) throw error;
        if (isOutage(error) || tried > postgresRetries.most) {
          throw new StorageUnavailable('the statement could not be committed', { cause: error });
        }
        await wait(postgresRetries.step * tried);
      }
    }
  };
  const tx = handleOn(ask);
  const run = async ({ postgres }: QueryText, values: readonly unknown[]) => ask({ ...postgres, values });
  connect(tx, {
    first: async (text, values) => (await run(text, values)).rows[0],
    all: async (text, values) => (await run(text, values)).rows,
    run: async (text, values) => (await run(text, values)).rowCount ?? 0,
    changeOne: async (text, values) => {
      await run(text, values);
    },
    isRemote: true,
    isSnapshot: false,
    version: 0,
    bannedUntil: 0,
    memory: new Map(),
    forget: () => {
      throw new Error('what is remembered changes in a transaction');
    },
    mayChange: () => {},
    takeLong: () => {
      throw new Error('what may take long is done in a transaction');
    },
  });
  return { tx, counts: pool.counts, end: pool.end };
}
