// Runs work in a transaction of PostgreSQL, once.
import type { CommitObserver, Tx } from '../../store.ts';
import type { openPool } from '../client.ts';
import type { Memory, Remembered } from '../memory.ts';
import type { Room } from './room.ts';
import { begin, Outdated, type Underway, type Work } from './transaction.ts';

/**
 * Runs what is to be done in a transaction and commits it; takes it back where any of it fails.
 *
 * @param pieces how many pieces of work share it
 * @throws the first error of a statement, or that of the work
 */
export type Attempt = <T>(
  kind: Work,
  done: (underway: Underway) => Promise<T>,
  pieces?: number,
) => Promise<T>;

export function createAttempt(
  pool: Pick<ReturnType<typeof openPool>, 'connect'>,
  memory: Memory,
  observe: CommitObserver = () => {},
  heard: Room['heard'] = () => {},
): Attempt {
  /** @param expected what the transaction is to see; null if it waits until that is known */
  const runOnce = async <T>(
    kind: Work,
    done: (underway: Underway) => Promise<T>,
    expected: Remembered | null,
  ): Promise<T> => {
    const client = await pool.connect();
    const underway = begin(client, { memory, expected, heard }, kind);
    let isBroken = false;
    try {
      if (expected === null) await underway.begun();
      const result = await done(underway);
      await underway.commit();
      return result;
    } catch (error) {
      // What keeps the connection from being rolled back keeps it from being used again: the pool drops it.
      await underway.rollback().catch(() => {
        isBroken = true;
      });
      throw underway.causeOf(error);
    } finally {
      client.release(isBroken);
    }
  };
  return async (kind, done, pieces = 1) => {
    const begunAt = performance.now();
    try {
      return await runOnce(kind, done, memory.newest());
    } catch (error) {
      // What it was expected to see another process had changed: it sees what is so now.
      if (error instanceof Outdated) return await runOnce(kind, done, null);
      throw error;
    } finally {
      observe(performance.now() - begunAt, pieces);
    }
  };
}

/** A piece of work that has the transaction for itself. */
export const alone =
  <T>(work: (tx: Tx) => Promise<T>) =>
  ({ handle }: Underway): Promise<T> =>
    work(handle().tx);
