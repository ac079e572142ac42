import type { Schedule } from '../../src/system/clock.ts';

/** What waits for a time that the test lets come. */
export interface HandSchedule {
  readonly schedule: Schedule;
  /** Waits until something waits, and lets its time come. @returns how long that would have taken (ms), each */
  comes(): Promise<readonly number[]>;
}

export function handSchedule(): HandSchedule {
  const waiting = new Set<{ readonly work: () => void; readonly ms: number }>();
  let something = Promise.withResolvers<void>();
  return {
    schedule: (work, ms) => {
      const one = { work, ms };
      waiting.add(one);
      something.resolve();
      return () => waiting.delete(one);
    },
    comes: async () => {
      while (waiting.size === 0) {
        something = Promise.withResolvers();
        await something.promise;
      }
      const due = [...waiting];
      waiting.clear();
      for (const { work } of due) work();
      return due.map(({ ms }) => ms);
    },
  };
}
