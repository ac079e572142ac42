// Stands in the place of the files behind a database that is in memory alone: there is nothing to wait for.
import { setTimeout as wait } from 'node:timers/promises';
import type { DurableFile } from '../durable-file.ts';

/** A commit is as safe as it will ever be: the data go with the process. */
export const noFile: DurableFile = {
  lost: () => null,
  check: () => null,
  sync: () => Promise.resolve(),
  syncAtOnce: () => {},
  now: () => performance.now(),
  wait: (ms) => wait(ms),
  takeBack: () => {},
  isFull: () => false,
  checkpoint: () => Promise.resolve(),
  clean: () => {},
  cleaningAt: () => null,
  holdSnapshot: () => {},
  snapshot: () => null,
  leave: () => Promise.resolve(true),
  close: () => {},
};
