import { countedKeys } from '../../../core/limits.ts';
import { createAgedMap } from '../../../storage/memory/aged-map.ts';

/**
 * Which forms were sent already, so that a second press of a button, or a reload of the page that shows a
 * new secret, does not do it all again (pages 7). It is in memory: a restart forgets, and forms with it.
 */
export interface UsedForms {
  /** Takes a form up; false if it was taken before. */
  take(id: string): boolean;
  /** Gives it back: it was refused, and will be sent again. */
  giveBack(id: string): void;
}

/** @param most how many are remembered; the oldest are forgotten first */
export function createUsedForms(most = countedKeys): UsedForms {
  const used = createAgedMap<true>(most);
  return {
    take(id) {
      if (used.get(id) === true) return false;
      used.set(id, true);
      return true;
    },
    giveBack(id) {
      used.delete(id);
    },
  };
}
