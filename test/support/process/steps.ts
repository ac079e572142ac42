// How many steps the code takes: a measure of work that is the same on every machine, however busy it is.
import { Session } from 'node:inspector/promises';

/** Counts the steps of code that is loaded after it was made. */
export interface StepCounter {
  /** How many functions, branches and rounds of loops run while something is done. */
  stepsOf(act: () => unknown): Promise<number>;
  stop(): Promise<void>;
}

/** Code is compiled with its counters: what is loaded before counts by its functions alone. */
export async function countSteps(): Promise<StepCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** Those since it was last asked. */
  const taken = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ranges = result.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
    return ranges.reduce((steps, { count }) => steps + count, 0);
  };
  return {
    async stepsOf(act) {
      await taken();
      await act();
      return taken();
    },
    async stop() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
