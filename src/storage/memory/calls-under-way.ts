// Remembers which calls with a key are under way: one that comes again meanwhile waits, and does not begin.
import { idempotency } from '../../core/operators/limits.ts';
import type { Counters } from './rate-limit.ts';

/**
 * @param shared where the processes of one database tell one another; null where there is one process. A process that
 * dies leaves its calls under way for a minute there, no longer: what is done once is decided by a row in any case.
 */
export function createCallsUnderWay(shared: Counters | null) {
  /** Those of this process: no more than it has requests under way. */
  const here = new Set<string>();
  const markOf = (id: string) => `under way ${id}`;
  return {
    /** @returns whether it may begin; then `end` is to be called */
    async begin(id: string): Promise<boolean> {
      if (here.has(id)) return false;
      here.add(id);
      let isAlone = false;
      try {
        isAlone = shared === null || (await shared.take(markOf(id), 1, idempotency.underWay)) === null;
      } finally {
        if (!isAlone) here.delete(id);
      }
      return isAlone;
    },
    async end(id: string): Promise<void> {
      try {
        await shared?.giveBack(markOf(id), idempotency.underWay);
      } catch {
        // What was done is committed; the mark is over within its minute.
      } finally {
        here.delete(id);
      }
    },
  };
}

export type CallsUnderWay = ReturnType<typeof createCallsUnderWay>;
