// How much this process works: a measure of what something costs that a busy machine does not change.

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;

/** What all threads of this process work while something is done, in ms of a core. Waiting is no work. */
export async function workOf(act: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await act();
  return milliseconds(process.cpuUsage(before));
}

/** What the event loop's own thread works while something is done, in ms of a core: others wait meanwhile. */
export async function loopWorkOf(act: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await act();
  return milliseconds(process.threadCpuUsage(before));
}
