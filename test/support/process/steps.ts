// How many steps the code takes: a measure of work that is the same on every machine, however busy it is.
import { Session } from 'node:inspector/promises';

/**
 * Counts the steps of code that is loaded from now on, in this thread and until it ends. Code is compiled with its
 * counters: what was loaded before counts by some of its functions alone.
 *
 * @returns how many functions, branches and rounds of loops run while something is done
 */
export async function countSteps(): Promise<(act: () => unknown) => Promise<number>> {
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
  return async (act) => {
    await taken();
    await act();
    return taken();
  };
}
