// Holds what one of several processes has taken, while it works on it.
import { lease } from '../core/operators/store-limits.ts';
import type { Clock, Schedule } from '../system/clock.ts';

/** Work that this process has taken. */
export interface Held {
  /** Whether there is time to begin more of it: not where it could not be held on to, or the process slept. */
  readonly isHeld: () => boolean;
  /** Holds it no longer. @returns until when it is held (ms) */
  readonly letGo: () => Promise<number>;
}

/**
 * Holds on to work until it is let go: if the process dies, another may take it a lease later.
 *
 * @param takenAt when it was taken (ms), for the time of a lease
 * @param move moves the end of the lease, which is `from` (ms); false if another process has the work now
 */
export function hold(
  { clock, schedule }: { readonly clock: Clock; readonly schedule: Schedule },
  takenAt: number,
  move: (from: number, to: number) => Promise<boolean>,
): Held {
  let until = takenAt + lease.time;
  let isOver = false;
  let isLost = false;
  let moving: Promise<void> = Promise.resolve();
  const renew = async () => {
    const next = clock() + lease.time;
    if (await move(until, next)) until = next;
    else isLost = true;
  };
  const plan = () =>
    schedule(() => {
      // One that fails is tried again: until then the lease runs.
      moving = renew()
        .catch(() => {})
        .then(() => {
          if (!isOver && !isLost) callOff = plan();
        });
    }, lease.renewal);
  let callOff = plan();
  return {
    isHeld: () => !isLost && clock() < until - lease.renewal,
    letGo: async () => {
      isOver = true;
      callOff();
      await moving;
      return until;
    },
  };
}
