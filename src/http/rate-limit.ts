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
}

interface Counter {
  count: number;
  readonly endsAt: number;
}

/** @param most how many keys are counted at once: an attacker with many addresses must not fill the memory */
export function createRateLimiter(clock: Clock, most = countedKeys): RateLimiter {
  const counters = new Map<string, Counter>();
  return {
    take(key, limit, window) {
      if (limit === null) return null;
      const now = clock();
      const id = `${window} ${key}`;
      let counter = counters.get(id);
      // A window never lasts longer than it should, even if the clock is set back.
      if (counter === undefined || now >= counter.endsAt || counter.endsAt - now > window) {
        counters.delete(id);
        counter = { count: 0, endsAt: now + window };
        counters.set(id, counter);
        if (counters.size > most) counters.delete(counters.keys().next().value ?? id);
      }
      if (counter.count >= limit) return Math.ceil((counter.endsAt - now) / 1_000);
      counter.count += 1;
      return null;
    },
  };
}
