// What a chore is, and how a service does its chores by itself.
import { setTimeout as wait } from 'node:timers/promises';
import { figureRollUp } from '../../core/operators/figures/limits.ts';
import { sweepBite, sweepInterval } from '../../core/operators/limits.ts';
import type { Pace } from '../../storage/sweep/sweep.ts';
import type { Clock } from '../../system/clock.ts';

/** Something the service does by itself once in a while. */
export interface Chore {
  /** What is said of it when it fails. */
  readonly name: string;
  /** ms */
  readonly every: number;
  /** Whether it is done at once, before those who wait for the service have been served. */
  readonly isUrgent?: boolean;
  readonly run: (pace: Pace) => Promise<unknown>;
}

/** What a chore does, done for no more than a fiftieth of the time, and once a day at least: how long it takes decides. */
export function unhurried(clock: Clock, run: Chore['run']): Chore['run'] {
  let next = 0;
  return async (pace) => {
    const begun = clock();
    // No wait is longer, unless the clock was set back.
    if (begun < next && next - begun <= sweepInterval.walked) return;
    await run(pace);
    next = begun + Math.min(figureRollUp.walkShare * (clock() - begun), sweepInterval.walked);
  };
}

/** Chores under way. */
export interface Chores {
  /** Does what would have come due in so many ms, as if they had passed, together with those that were skipped before. */
  skip(ms: number): Promise<void>;
  /** Begins no further bite, and waits for the one under way. */
  stop(): Promise<void>;
}

/**
 * Does every chore soon and once in a while, one at a time, so that two never share the load they make.
 *
 * @param failed is told of a chore that failed: it is done again when its time comes
 * @param after when they are done first: ms from now
 */
export function startChores(
  chores: readonly Chore[],
  failed: (name: string, error: unknown) => void,
  after: number,
): Chores {
  const ending = new AbortController();
  const isOver = () => ending.signal.aborted;
  /** A caller who skips time waits for it to be over: others only take their turns in between. */
  let isHurried = false;
  const pause = () =>
    wait(isHurried ? 0 : sweepBite.pause, undefined, { signal: ending.signal, ref: false }).catch(
      () => undefined,
    );
  const waiting = new Set<Chore>();
  const skipped = new Map<Chore, number>();
  let running: Promise<void> | null = null;
  const work = async () => {
    for (const chore of waiting) {
      waiting.delete(chore);
      if (isOver()) continue;
      await chore.run({ pause, isOver }).catch((error: unknown) => failed(chore.name, error));
    }
    running = null;
  };
  const ask = (chore: Chore) => {
    waiting.add(chore);
    running ??= work();
  };
  const timers = chores.map((chore) => setInterval(ask, chore.every, chore).unref());
  for (const chore of chores) if (chore.isUrgent === true) ask(chore);
  const beginning = setTimeout(() => chores.forEach(ask), after).unref();
  return {
    skip: async (ms) => {
      const due = chores.filter((chore) => {
        const passed = (skipped.get(chore) ?? 0) + ms;
        skipped.set(chore, passed >= chore.every ? 0 : passed);
        return passed >= chore.every;
      });
      if (due.length === 0) return;
      isHurried = true;
      due.forEach(ask);
      await running;
      isHurried = false;
    },
    stop: async () => {
      clearTimeout(beginning);
      for (const timer of timers) clearInterval(timer);
      ending.abort();
      await running;
    },
  };
}
