/** Durations as developers write them. */
import { day, hour, minute, second } from '../limits.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: second, m: minute, h: hour, d: day };

/**
 * Reads `15m`, `90d`, `1h30m`, `250ms`, or a number of seconds.
 *
 * @returns ms, or null if it is none
 */
export function readDuration(given: string | number): number | null {
  if (typeof given === 'number')
    return Number.isFinite(given) && given >= 0 ? Math.round(given * second) : null;
  if (/^\d{1,12}(?:\.\d{1,3})?$/.test(given)) return Math.round(Number(given) * second);
  if (!/^(?:\d{1,12}(?:ms|[smhd]))+$/.test(given)) return null;
  return [...given.matchAll(/(\d+)(ms|[smhd])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}
