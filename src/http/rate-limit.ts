import type { Clock } from '../clock.ts';
import { countedKeys } from '../core/limits.ts';

/** Counts in memory how often something happened in a window of time. */
export interface RateLimiter {
  /**
   * Counts one more for the key.
   *
   * @param limit how many are allowed in the window; null is no limit
   * @param window ms
   * @returns null if it is allowed, else the seconds after which it is again
   */
  take(key: string, limit: number | null, window: number): number | null;
  /** The same answer without counting: for what counts only when it fails. */
  look(key: string, limit: number | null, window: number): number | null;
}

interface Counter {
  count: number;
  readonly endsAt: number;
}

/** @param most how many keys are counted at once: an attacker with many addresses must not fill the memory */
export function createRateLimiter(clock: Clock, most = countedKeys): RateLimiter {
  const counters = new Map<string, Counter>();
  const current = (id: string, window: number, now: number) => {
    const counter = counters.get(id);
    // A window never lasts longer than it should, even if the clock is set back.
    const isOver = counter === undefined || now >= counter.endsAt || counter.endsAt - now > window;
    return isOver ? null : counter;
  };
  const waitOf = (counter: Counter | null, limit: number, now: number) =>
    counter !== null && counter.count >= limit ? Math.ceil((counter.endsAt - now) / 1_000) : null;
  return {
    look(key, limit, window) {
      if (limit === null) return null;
      const now = clock();
      return waitOf(current(`${window} ${key}`, window, now), limit, now);
    },
    take(key, limit, window) {
      if (limit === null) return null;
      const now = clock();
      const id = `${window} ${key}`;
      let counter = current(id, window, now);
      if (counter === null) {
        counters.delete(id);
        counter = { count: 0, endsAt: now + window };
        counters.set(id, counter);
        if (counters.size > most) counters.delete(counters.keys().next().value ?? id);
      }
      const wait = waitOf(counter, limit, now);
      if (wait === null) counter.count += 1;
      return wait;
    },
  };
}
