import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

/**
 * How many steps the service takes while some work runs: how often its functions and their blocks are entered, as V8 counts
 * for coverage. A machine that is slow takes as many.
 */
export async function stepsOf(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  // What is optimised does not count.
  for (const flag of ['--no-opt', '--no-maglev']) setFlagsFromString(flag);
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    const ours = result.filter(({ url }) => url.includes('/src/') && !url.includes('/node_modules/'));
    const blocks = ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return blocks.reduce((steps, { count }) => steps + count, 0);
  } finally {
    for (const flag of ['--opt', '--maglev']) setFlagsFromString(flag);
    session.disconnect();
  }
}
