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
    if (begun < next) return;
    await run(pace);
    next = begun + Math.min(figureRollUp.walkShare * (clock() - begun), sweepInterval.walked);
  };
}

/** Chores under way. */
export interface Chores {
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
  const pause = () =>
    wait(sweepBite.pause, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
  const waiting = new Set<Chore>();
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
    stop: async () => {
      clearTimeout(beginning);
      for (const timer of timers) clearInterval(timer);
      ending.abort();
      await running;
    },
  };
}
