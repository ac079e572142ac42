import { describe, expect, it } from 'vitest';
import { failuresOf, quantile, slopeOf, warmUpOf } from '../../trials/soak/figures.ts';

const minute = 60_000;
const rising = (perMinute: number, wobble = 0) =>
  Array.from({ length: 60 }, (_, index) => ({
    at: index * minute,
    value: 200 + index * perMinute + (index % 2 === 0 ? wobble : -wobble),
  }));

describe('what a soak finds', () => {
  it('a line through samples rises as they do, and wobbling makes it less certain', () => {
    expect(slopeOf(rising(0.5)).perHour).toBeCloseTo(30);
    expect(slopeOf(rising(0.5)).error).toBeCloseTo(0);
    const wobbling = slopeOf(rising(0.5, 20));
    expect(wobbling.error).toBeGreaterThan(5);
    expect(Math.abs(wobbling.perHour - 30)).toBeLessThan(2 * wobbling.error);
  });

  it('a few samples say nothing', () => {
    expect(slopeOf(rising(0.5).slice(0, 2))).toEqual({ perHour: 0, error: 0 });
  });

  it('a p99 is the time that one in a hundred is over', () => {
    const times = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(quantile(times, 0.99)).toBe(198);
    expect(quantile(times, 0.5)).toBe(100);
    expect(quantile([], 0.99)).toBe(0);
  });

  it('the warm-up is a quarter of a run, and fifteen minutes at most', () => {
    expect(warmUpOf(4)).toBe(minute);
    expect(warmUpOf(20)).toBe(5 * minute);
    expect(warmUpOf(600)).toBe(15 * minute);
  });

  const well = { minutes: 20, crashes: 0, wrong: 0, memorySlope: 5 };

  it.each([
    [{}, []],
    [{ crashes: 1 }, ['the service ended by itself']],
    [{ wrong: 2 }, ['2 answers were wrong']],
    [{ memorySlope: 5.1 }, ['memory rose by 5.1 MB an hour, over 5']],
    [{ memorySlope: 5.1, minutes: 19 }, []],
  ])('%o fails a run for %o', (change, failures) => {
    expect(failuresOf({ ...well, ...change })).toEqual(failures);
  });
});
