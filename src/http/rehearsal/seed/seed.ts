// Draws ids, codes and secrets of a development start from a seed, so that they are the same each time.
import { createHash } from 'node:crypto';
import { seedsKept } from '../../../core/rehearsal/limits.ts';
import { type Random, randomOf } from '../../../system/random.ts';
import { DeedRefused } from '../deeds.ts';

export type Seed = ReturnType<typeof createSeed>;

/**
 * Randomness that is real until a seed is set. A seed goes on where it was left: only a reset draws the same once more, since
 * what was drawn is in the database until then.
 *
 * @param isAlone whether the service has none but development tenants: otherwise all is drawn by chance, whatever was asked
 */
export function createSeed(real: Random, isAlone: () => boolean) {
  let seed: number | null = null;
  let drawn = new Map<number, number>();
  const next = (): Buffer => {
    const draws = drawn.get(seed ?? 0) ?? 0;
    drawn.set(seed ?? 0, draws + 1);
    return createHash('sha256').update(`${seed} ${draws}`).digest();
  };
  const seeded = randomOf(
    (length) => next().subarray(0, length),
    (most) => next().readUIntBE(0, 6) % most,
  );
  const source = () => (seed !== null && isAlone() ? seeded : real);
  const random: Random = {
    secret: () => source().secret(),
    id: (now) => source().id(now),
    digits: () => source().digits(),
  };
  return {
    random,
    /** The seed, and how often was drawn from it. */
    told: () => ({ seed, drawn: seed === null ? 0 : (drawn.get(seed) ?? 0) }),
    /** @param to null for real randomness. @throws DeedRefused for one too many */
    set(to: number | null): void {
      if (to !== null && !drawn.has(to) && drawn.size >= seedsKept) {
        throw new DeedRefused(`there were ${seedsKept} seeds since the last reset`);
      }
      if (to !== null) drawn.set(to, drawn.get(to) ?? 0);
      seed = to;
    },
    keep() {
      const kept = { seed, drawn: new Map(drawn) };
      return () => {
        seed = kept.seed;
        drawn = new Map(kept.drawn);
      };
    },
  };
}
