import { type Argon2Parameters, argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import type { Derive } from '../../../src/secrets/password.ts';

/** Node's argon2, and what it took: KiB times passes, which its time is in proportion to. */
export function countingWork(): {
  readonly derive: Derive;
  /** What it took since the last time it was asked. */
  work(): number;
  /** The largest block, in KiB, since the last time it was asked. */
  largest(): number;
} {
  const derive = promisify(argon2);
  let taken: readonly Argon2Parameters[] = [];
  const take = () => {
    const all = taken;
    taken = [];
    return all;
  };
  return {
    derive: (algorithm, parameters) => {
      taken = [...taken, parameters];
      return derive(algorithm, parameters);
    },
    work: () => take().reduce((sum, { memory, passes }) => sum + memory * passes, 0),
    largest: () => Math.max(...take().map(({ memory }) => memory)),
  };
}
