// Lets what others were in the way of run again in turn.
import { isOutage } from '../errors.ts';

/** Lets in one transaction at a time, in the order in which they came. */
export interface Lane {
  /** The outage that one of them met last. */
  newest(): Outage | null;
  /** @param known the last one when the work began: it does not meet one that came since, but shares it */
  enter<T>(work: () => Promise<T>, known: Outage | null): Promise<T>;
}

export interface Outage {
  readonly error: unknown;
}

/** An outage is that of all who wait: each for itself they would wait for the database one after another. */
export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  let newest: Outage | null = null;
  return {
    newest: () => newest,
    enter: (work, known) => {
      const inTurn = async () => {
        if (newest !== null && newest !== known) throw newest.error;
        try {
          return await work();
        } catch (error) {
          if (isOutage(error)) newest = { error };
          throw error;
        }
      };
      const done = last.then(inTurn, inTurn);
      last = done.catch(() => {});
      return done;
    },
  };
}
