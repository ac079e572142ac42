import { expect, it } from 'vitest';
import { lineBox, linePath } from '../../../../src/http/admin/portal/pages/overview/plot.ts';

/** The part of its box that a line takes from its lowest point to its highest. */
function heightOf(path: string): number {
  const heights = path
    .slice(1)
    .split('L')
    .map((point) => Number(point.split(' ')[1]));
  return (Math.max(...heights) - Math.min(...heights)) / lineBox.height;
}

it('pages 19: the line of a card shows two percent of many, keeps one of a few calm, and is flat where nothing changed', () => {
  expect(heightOf(linePath([41_300, 41_700, 42_394]))).toBeGreaterThan(0.2);
  expect(heightOf(linePath([8, 8, 7, 8]))).toBeLessThan(0.2);
  expect(heightOf(linePath([14, 14, 14]))).toBe(0);
  expect(heightOf(linePath([0, 0, 0]))).toBe(0);
  expect(heightOf(linePath([0, 5, 12]))).toBeCloseTo(0.75);
});
