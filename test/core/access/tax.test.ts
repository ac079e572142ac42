import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTaxPercent, taxWithin } from '../../../src/core/access/tax.ts';

describe('the tax that a price includes', () => {
  it.each([
    [14_900, 25, 2_980],
    [19_900, 25, 3_980],
    [19_900, 0, 0],
    [0, 25, 0],
    // 8.1 % of 99.00 is 7.4181…, and of 500 yen 37.46…
    [9_900, 8.1, 742],
    [500, 8.1, 37],
    // A half goes up: 1.50 and 0.50 of the smallest unit.
    [3, 100, 2],
    [1, 100, 1],
    [1, 0.01, 0],
  ])('of %i at %s %% is %i, to the nearest smallest unit, and a half goes up', (amount, percent, tax) => {
    expect(taxWithin({ amount }, percent)).toBe(tax);
  });

  it('is nearest to the exact part, and what is left is never less than nothing', () => {
    const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 10_000 }), (price, rate) => {
        const tax = BigInt(taxWithin({ amount: price }, rate / 100));
        const whole = 10_000n + BigInt(rate);
        // tax - 1/2 <= exact < tax + 1/2, times two and the whole.
        const exact = 2n * BigInt(price) * BigInt(rate);
        expect(tax).toBeLessThanOrEqual(BigInt(price));
        expect(exact >= (2n * tax - 1n) * whole && exact < (2n * tax + 1n) * whole).toBe(true);
      }),
    );
  });

  it.each([
    [0, true],
    [25, true],
    [8.1, true],
    [5.55, true],
    [100, true],
    [100.01, false],
    [-1, false],
    [8.125, false],
    [Number.NaN, false],
    [Number.POSITIVE_INFINITY, false],
  ])('%s can be a rate: %s', (percent, can) => {
    expect(isTaxPercent(percent)).toBe(can);
  });
});
