import { describe, expect, it } from 'vitest';
import { roomForCode } from '../../../src/core/grants/pending-codes.ts';

describe('room for one more pending code', () => {
  it.each([
    ['below half full', 1_000, { total: 499, networks: 1, own: 499 }, 'anyone'],
    ['half full, of one network', 1_000, { total: 500, networks: 1, own: 500 }, 'none'],
    ['half full, of another network', 1_000, { total: 500, networks: 1, own: 0 }, 'anyone'],
    ['below its share', 1_000, { total: 700, networks: 9, own: 99 }, 'anyone'],
    ['at its share', 1_000, { total: 700, networks: 9, own: 100 }, 'none'],
    ['four fifths full, one of its own', 1_000, { total: 800, networks: 34, own: 1 }, 'known'],
    ['four fifths full, none of its own', 1_000, { total: 899, networks: 34, own: 0 }, 'anyone'],
    ['nine tenths full', 1_000, { total: 900, networks: 34, own: 0 }, 'known'],
    ['nine tenths full, at its share', 1_000, { total: 900, networks: 34, own: 28 }, 'none'],
    ['full', 1_000, { total: 1_000, networks: 34, own: 0 }, 'none'],
    ['one code in all', 1, { total: 0, networks: 0, own: 0 }, 'anyone'],
    ['one code in all, taken', 1, { total: 1, networks: 1, own: 0 }, 'none'],
    ['two codes, one taken', 2, { total: 1, networks: 1, own: 0 }, 'anyone'],
    ['more networks than codes', 10, { total: 9, networks: 30, own: 0 }, 'known'],
  ] as const)('F8: %s', (_when, most, held, room) => {
    expect(roomForCode(most, held)).toBe(room);
  });

  it('F8: a count that is too high never gives a code that the right one would not', () => {
    const order = ['none', 'known', 'anyone'];
    for (let total = 0; total <= 20; total += 1) {
      for (let networks = 0; networks <= total; networks += 1) {
        for (let own = 0; own <= total; own += 1) {
          const room = order.indexOf(roomForCode(20, { total, networks, own }));
          for (const more of [
            { total: total + 1, networks, own: own + 1 },
            { total: total + 1, networks: networks + 1, own },
          ]) {
            expect(order.indexOf(roomForCode(20, more))).toBeLessThanOrEqual(room);
          }
        }
      }
    }
  });
});
