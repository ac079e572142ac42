import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAgedMap } from '../../../src/storage/memory/aged-map.ts';
import { heapMegabytes } from '../../support/process/heap.ts';
import { workOf } from '../../support/process/work.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('set' as const), key, value: fc.nat(2) }),
    fc.record({ act: fc.constant('delete' as const), key }),
    fc.record({ act: fc.constant('look' as const) }),
  ),
  { maxLength: 60 },
);

it('its oldest entry is the first of a map in which what is set anew comes last', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const aged = createAgedMap<number>();
      const plain = new Map<string, number>();
      for (const step of all) {
        if (step.act === 'set') {
          aged.set(step.key, step.value);
          plain.delete(step.key);
          plain.set(step.key, step.value);
        } else if (step.act === 'delete') {
          aged.delete(step.key);
          plain.delete(step.key);
        } else {
          expect(aged.oldest()).toEqual(plain.entries().next().value);
        }
        expect(aged.size).toBe(plain.size);
      }
      for (const [known, value] of plain) expect(aged.get(known)).toBe(value);
      expect(aged.oldest()).toEqual(plain.entries().next().value);
    }),
    { numRuns: 2_000 },
  );
});

it('a flood that sets every entry anew finds the oldest at once, however many there are', async () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `key ${index}`);
  const aged = createAgedMap<number>();
  for (const each of keys) aged.set(each, 0);
  const worked = await workOf(() => {
    for (const [index, each] of keys.entries()) {
      aged.set(each, 1);
      if (aged.oldest()?.[0] !== keys[(index + 1) % keys.length])
        throw new Error(`not the oldest after ${each}`);
    }
  });
  // A plain Map takes seconds, an aged one some hundredths of one.
  expect(worked).toBeLessThan(500);
});

it('D19: what was set anew or deleted is let go, whether or not the oldest is asked for', () => {
  const aged = createAgedMap<number>();
  aged.set('first', 0);
  expect(aged.oldest()?.[0]).toBe('first');
  const before = heapMegabytes();
  for (let round = 0; round < 500_000; round += 1) aged.set(`key ${round % 50}`, round);
  expect(aged.oldest()?.[0]).toBe('first');
  expect(heapMegabytes() - before).toBeLessThan(5);
  for (let round = 0; round < 200_000; round += 1) {
    aged.set(`other ${round}`, round);
    aged.delete(`other ${round}`);
  }
  expect(heapMegabytes() - before).toBeLessThan(5);
  expect(aged.size).toBe(51);
});

it('beyond its most it drops the entry that was set before all others', () => {
  const aged = createAgedMap<number>(2);
  for (const [index, each] of ['a', 'b', 'a', 'c'].entries()) aged.set(each, index);
  expect([aged.get('a'), aged.get('b'), aged.get('c'), aged.size]).toEqual([2, undefined, 3, 2]);
});
