// Remembers when each pending device code was last polled.
import { deviceCodeLifetime, pacedCodes } from '../../core/limits.ts';
import { createAgedMap } from './aged-map.ts';

/**
 * When each pending device code was polled last. It is kept in memory: a commit for every poll of every TV
 * would be the dearest thing the service does, and all that a restart forgets is that one poll was early.
 * The longer interval of a slow_down is on the disk.
 */
export interface PollPace {
  /** ms, or null if this code was not polled since the start. */
  lastPolledAt(id: string): number | null;
  /** @param now ms; null as if it had never been polled */
  record(id: string, now: number | null): void;
}

/**
 * A code that was not polled for as long as one lives is forgotten.
 *
 * @param most how many codes are remembered; beyond, the one not polled for longest is forgotten
 */
export function createPollPace(most = pacedCodes): PollPace {
  const times = createAgedMap<number>(most);
  return {
    lastPolledAt: (id) => times.get(id) ?? null,
    record(id, now) {
      if (now === null) return times.delete(id);
      times.set(id, now);
      const oldest = times.oldest();
      if (oldest !== undefined && now - oldest[1] > deviceCodeLifetime) times.delete(oldest[0]);
    },
  };
}
