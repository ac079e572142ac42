// Does a piece of work when it is woken, one run at a time, and again when its time comes.
import { day } from '../../core/limits.ts';
import type { Schedule } from '../../system/clock.ts';

/** Work that waits to be woken. */
export interface Runner {
  /** There is something to do, and it is committed. */
  wake(): void;
  /** Does it now; resolves once that is done, and what was woken for meanwhile. It never rejects. */
  run(): Promise<void>;
  /** Does no more; resolves once what is under way is done. */
  stop(): Promise<void>;
  readonly isStopped: () => boolean;
}

/** What came of a run. */
export interface Ran {
  /** When it is to be done again at the latest, ms from now; null if it waits to be woken. */
  readonly wait: number | null;
  /** Whether more can be done now, if it was woken meanwhile. */
  readonly mayGoOn: boolean;
}

/**
 * Makes it. What it is woken for while it is done is done by the same run.
 *
 * @param failed is told of what was thrown
 * @param rest how long it rests then (ms)
 */
export function createRunner(
  { schedule }: { readonly schedule: Schedule },
  work: () => Promise<Ran>,
  failed: (error: unknown) => void,
  rest: number,
): Runner {
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let callOff = () => {};

  const plan = (ms: number) => {
    callOff();
    // A timer counts no further than 25 days: what is due later, as where the clock was set back, is looked for until then.
    if (!stopped) callOff = schedule(() => void begin(), Math.min(ms, day));
  };

  const begin = (): Promise<void> => {
    if (stopped) return running ?? Promise.resolve();
    again = true;
    running ??= run();
    return running;
  };

  async function run(): Promise<void> {
    callOff();
    try {
      let ran: Ran;
      do {
        again = false;
        ran = await work();
      } while (again && ran.mayGoOn && !stopped);
      if (ran.wait !== null) plan(ran.wait);
    } catch (error) {
      failed(error);
      plan(rest);
    } finally {
      // In the same breath as the last look at `again`, so that nothing is queued in between.
      running = null;
    }
  }

  return {
    wake() {
      // A run that looks before this is on a slow disk would not see it, and leave it to the next.
      if (running === null) plan(0);
      else again = true;
    },
    run: begin,
    isStopped: () => stopped,
    async stop() {
      stopped = true;
      callOff();
      await running;
    },
  };
}
