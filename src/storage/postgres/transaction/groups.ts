// Lets work that may change something share transactions while there is no room for another.
import { groupQueue } from '../../../core/limits.ts';
import { postgresGroups, postgresTimes } from '../../../core/operators/store-limits.ts';
import { systemSchedule } from '../../../system/clock.ts';
import { CommitUnanswered, StorageUnavailable, type Store, type Tx } from '../../store.ts';
import type { Patience } from '../client.ts';
import { isOutage, isOutageOfAll, isUnfinished } from '../errors.ts';
import { type Attempt, alone } from './attempt.ts';
import type { Lane } from './lane.ts';
import type { Room } from './room.ts';
import type { Underway } from './transaction.ts';

/** A piece of work that waits for its turn. */
interface Piece {
  /** When it came, by the clock that measures turns. */
  readonly at: number;
  /** Has a transaction for itself. @throws what it failed with */
  runAlone(attempt: Attempt): Promise<void>;
  /** Shares one. @returns what tells the result, once that is committed */
  runIn(underway: Underway): Promise<() => void>;
  refuse(error: unknown): void;
}

/**
 * Tries work once. Of what a refresh costs the database, most is the beginning of its transaction, its end, and the
 * packets there and back; so pieces that have to wait share a transaction, in which they run one after another: each
 * sees what those before it changed, as if that were committed. Where another transaction was in their way, they share
 * one more, in turn with others that were kept. If anything else fails in it, all of it is taken back, and each piece is
 * tried alone; one that throws before it has changed anything fails by itself. One that waits too long for its turn is
 * refused.
 *
 * @param ranAgain is called for each piece that is tried once more
 */
export function createGroups(
  tried: Attempt,
  { lane, room, ranAgain }: { readonly lane: Lane; readonly room: Room; readonly ranAgain: () => void },
  { times = postgresTimes, now = () => performance.now() }: Patience,
): Store['transaction'] {
  const attempt = told(tried, room);
  const waiting: Piece[] = [];
  let underWay = 0;
  /** The transaction that began last, as long as it is under way. */
  let newest: { readonly begunAt: number } | null = null;
  let callOff = () => {};

  const refuse = (pieces: readonly Piece[], error: unknown) => {
    for (const piece of pieces) piece.refuse(error);
    // Those behind them would each wait for the database once more.
    if (isOutageOfAll(error)) for (const piece of waiting.splice(0)) piece.refuse(error);
  };
  const runAlone = (piece: Piece) =>
    piece.runAlone(attempt).catch((error: unknown) => refuse([piece], error));
  const runTogether = async (pieces: readonly Piece[]): Promise<void> => {
    const inTurn = async (underway: Underway) => {
      const answers: (() => void)[] = [];
      for (const piece of pieces) answers.push(await piece.runIn(underway));
      return answers;
    };
    const runOnce = () => attempt('together', inTurn, pieces.length);
    const known = lane.newest();
    const runInTurn = (error: unknown) => {
      if (!isUnfinished(error)) throw error;
      pieces.forEach(ranAgain);
      return lane.enter(runOnce, known);
    };
    try {
      for (const answer of await runOnce().catch(runInTurn)) answer();
    } catch (error) {
      if (isOutage(error) || error instanceof CommitUnanswered) return refuse(pieces, error);
      pieces.forEach(ranAgain);
      await Promise.all(pieces.map(runAlone));
    }
  };
  const begin = () => {
    const onTime = waiting.findIndex(({ at }) => now() - at <= times.turn);
    for (const piece of waiting.splice(0, onTime === -1 ? waiting.length : onTime)) piece.refuse(tooMany());
    const pieces = waiting.splice(0, postgresGroups.pieces);
    const [first, ...others] = pieces;
    if (first === undefined) return;
    const own = { begunAt: now() };
    newest = own;
    underWay += 1;
    (others.length === 0 ? runAlone(first) : runTogether(pieces)).finally(() => {
      underWay -= 1;
      if (newest === own) newest = null;
      next();
    });
    next();
  };
  /** Lets another begin: at once where there is room, or when the one that began last is over or makes room. */
  const next = () => {
    callOff();
    if (waiting.length === 0 || underWay === postgresGroups.most) return;
    if (newest === null || underWay < room.now()) return begin();
    callOff = systemSchedule(begin, newest.begunAt + postgresGroups.makesRoom - now());
  };

  return (work) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= groupQueue) throw tooMany();
      const piece = pieceOf(work, now(), { resolve, reject });
      waiting.push(piece);
      // Those whose requests have come by now go along.
      if (waiting.length === 1) setImmediate(next);
    });
}

/** Tells the room of each that ends. */
const told =
  (attempt: Attempt, room: Room): Attempt =>
  async (...work) => {
    try {
      const result = await attempt(...work);
      room.ended(false);
      return result;
    } catch (error) {
      room.ended(isUnfinished(error));
      throw error;
    }
  };

const tooMany = () => new StorageUnavailable('too many transactions are waiting');

function pieceOf<T>(
  work: (tx: Tx) => Promise<T>,
  at: number,
  { resolve, reject }: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>,
): Piece {
  return {
    at,
    runAlone: async (attempt) => resolve(await attempt('changes', alone(work))),
    runIn: async (underway) => {
      const { tx, mayHaveWritten, close } = underway.handle();
      try {
        const result = await work(tx);
        return () => resolve(result);
      } catch (error) {
        if (mayHaveWritten() || underway.failure() !== null) throw error;
        return () => reject(error);
      } finally {
        close();
      }
    },
    refuse: reject,
  };
}
