// Runs work that only reads. Pieces that come together share a snapshot, the packets to the database and its answers.
import { postgresPool } from '../../../core/operators/store-limits.ts';
import type { Store, Tx } from '../../store.ts';
import type { openPool } from '../client.ts';
import { isOutage, isSilence } from '../errors.ts';
import type { Memory } from '../memory.ts';
import { begin, Changing, type Underway } from './transaction.ts';

/** A piece of work that waits for its turn. */
interface Piece {
  /** Runs it on a snapshot that is not older than the piece. */
  run(tx: Tx, begun: () => Promise<unknown>, failure: Underway['failure']): Promise<void>;
  /** There is no connection for it. */
  refuse(error: unknown): void;
}

/**
 * What `Store.lookUp` is on PostgreSQL. A snapshot that only reads never fails for what others do, so no answer waits
 * for its commit. Whatever else goes wrong with it, each of its pieces runs again alone, unless the database says
 * nothing any more: each would wait for it once more, and those behind them too, which are refused with them.
 *
 * @param alone runs a piece in a transaction of its own
 */
export function createLookUps(
  pool: Pick<ReturnType<typeof openPool>, 'connect'>,
  memory: Memory,
  alone: Store['transaction'],
): Store['lookUp'] {
  let waiting: Piece[] = [];
  let underWay = 0;

  const runGroup = async (pieces: readonly Piece[]): Promise<void> => {
    const client = await pool.connect();
    const expected = memory.newest();
    const { handle, begun, leave, failure } = begin(client, { memory, expected }, 'reads');
    const { tx } = handle();
    if (expected === null) await begun().catch(() => {});
    await Promise.all(pieces.map((piece) => piece.run(tx, begun, failure)));
    leave();
    const failed = failure();
    client.release(isOutage(failed?.error));
    if (isSilence(failed?.error)) refuseAll(waiting.splice(0), failed?.error);
  };
  const refuseAll = (pieces: readonly Piece[], error: unknown) => {
    for (const piece of pieces) piece.refuse(error);
  };
  const next = () => {
    if (waiting.length === 0 || underWay === postgresPool.lookUps) return;
    const pieces = waiting;
    waiting = [];
    underWay += 1;
    runGroup(pieces)
      .catch((error: unknown) => refuseAll([...pieces, ...waiting.splice(0)], error))
      .finally(() => {
        underWay -= 1;
        next();
      });
  };

  return (work) =>
    new Promise((resolve, reject) => {
      const run: Piece['run'] = async (tx, begun, failure) => {
        try {
          const result = await work(tx);
          await begun();
          resolve(result);
        } catch (error) {
          // What it saw was expected; only now it is certain.
          await begun().catch(() => {});
          const failed = failure();
          if (isSilence(failed?.error)) reject(failed?.error);
          else if (error instanceof Changing || failed !== null) alone(work).then(resolve, reject);
          else reject(error);
        }
      };
      waiting.push({ run, refuse: reject });
      // Those whose requests have come by now go along.
      if (waiting.length === 1) setImmediate(next);
    });
}
