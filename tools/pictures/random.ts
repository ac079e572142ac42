// Codes, ids and secrets that come out the same each time: for pictures alone.
import { createHash } from 'node:crypto';
import { type Random, systemRandom } from '../../src/system/random.ts';

/** Draws the same digits and secrets in each run. Ids hold the time that they are made at, so they stay as they are. */
export function repeatedRandom(seed: string): Random {
  let drawn = 0;
  const next = () => {
    drawn += 1;
    return createHash('sha256').update(`${seed} ${drawn}`).digest();
  };
  return {
    secret: () => next().toString('base64url'),
    id: (now) => {
      const hex = next().toString('hex');
      const own = systemRandom.id(now);
      return `${own.slice(0, 15)}${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
    },
    digits: () => String(next().readUInt32BE() % 1_000_000).padStart(6, '0'),
  };
}
