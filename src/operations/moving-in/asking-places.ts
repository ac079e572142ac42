// Counts the questions to old systems that are under way, so that no network takes the place of all others (decision 55).
import { askedSystem as limits } from '../../core/import/limits.ts';
import { networkOf } from '../../core/import/old-system.ts';

export type AskingPlaces = ReturnType<typeof createAskingPlaces>;

/**
 * Counts those of each tenant and of each network that they come from: no one waits for another, since a no must not take
 * longer than any other. Where few places are left, they are for networks that have none.
 */
export function createAskingPlaces() {
  const taken = new Map<string, number>();
  const countOf = (key: string) => taken.get(key) ?? 0;
  const move = (key: string, by: 1 | -1) => {
    const count = countOf(key) + by;
    if (count === 0) taken.delete(key);
    else taken.set(key, count);
  };
  return {
    /** @returns what ends the question; null if there are too many */
    enter(tenantId: string, address: string): (() => void) | null {
      const keys = [tenantId, `${tenantId} ${networkOf(address)}`] as const;
      const [all, own] = [countOf(keys[0]), countOf(keys[1])];
      const most = all < limits.plenty ? limits.atOnceFrom : 1;
      if (all >= limits.atOnce || own >= most) return null;
      for (const key of keys) move(key, 1);
      return () => {
        for (const key of keys) move(key, -1);
      };
    },
  };
}
