// Has one of several processes do a chore, and another when that one dies.
import { choreLook, lease } from '../../core/operators/store-limits.ts';
import { moveLease, takeLease } from '../../storage/operators/lease.ts';
import type { Store } from '../../storage/store.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import { hold } from '../lease.ts';
import type { Chore } from './chore.ts';

/** One of the processes of a service. */
export interface ProcessFacts {
  readonly store: Store;
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Its name among them. */
  readonly holder: string;
}

/**
 * The chore as each of several processes looks for it: the one that finds it due takes it, holds it while it lasts,
 * and says when it is due again.
 */
export function onceAmongAll(
  { name, every, run, ...chore }: Chore,
  { store, clock, schedule, holder }: ProcessFacts,
): Chore {
  const move = (until: number) => store.transaction((tx) => moveLease(tx, { name, holder, until }));
  return {
    ...chore,
    name,
    every: Math.min(every, choreLook),
    run: async ({ pause, isOver }) => {
      const begun = clock();
      const taken = { name, holder, until: begun + lease.time };
      if (!(await store.transaction((tx) => takeLease(tx, taken, begun, every + lease.time)))) return;
      const held = hold({ clock, schedule }, begun, (_from, to) => move(to));
      const isCutOff = () => isOver() || !held.isHeld();
      // One that failed is done again when its time comes; one that was cut off, by the next process that looks.
      try {
        await run({ pause, isOver: isCutOff });
      } finally {
        const next = isCutOff() ? clock() : begun + every;
        await held.letGo();
        await move(next);
      }
    },
  };
}
