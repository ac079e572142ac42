import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What is in use of this process's heap, in MB, without garbage. */
export function heapMegabytes(): number {
  collect();
  return process.memoryUsage().heapUsed / 1_024 ** 2;
}
