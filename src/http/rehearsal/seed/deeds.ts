// Tells and sets the seed.
import { largestSeed } from '../../../core/rehearsal/limits.ts';
import { numberFrom, orNull, someOf } from '../../../operations/json-schema.ts';
import { type Deed, deed } from '../deeds.ts';
import type { Seed } from './seed.ts';

/** GET and POST /rehearsal/seed. @param requireAlone throws unless the service has none but development tenants */
export const seedDeeds = (seed: Seed, requireAlone: (what: string) => void): readonly Deed[] => [
  deed({ method: 'GET', path: '/seed', fields: someOf('Nothing', {}), run: seed.told }),
  deed({
    method: 'POST',
    path: '/seed',
    fields: {
      ...someOf('What ids, codes and secrets follow from', {
        seed: orNull(numberFrom(0, largestSeed, 'A number', 7), 'chance'),
      }),
      required: ['seed'],
    },
    run({ seed: to = null }) {
      requireAlone('randomness');
      seed.set(to);
      return seed.told();
    },
  }),
];
