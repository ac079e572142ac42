import { expect, it } from 'vitest';
import { zoneOfDays } from '../../src/text/calendar.ts';

const at = (time: string) => Date.parse(`2026-01-15T${time}Z`);

it.each([
  ['NO', '23:30', 'Europe/Oslo'],
  ['AE', '21:00', 'Asia/Dubai'],
  // From Honolulu to New York it is still the day before.
  ['US', '02:00', 'America/Adak'],
  // In New York a day has begun that has not in Honolulu.
  ['US', '06:00', 'UTC'],
  [null, '23:30', 'UTC'],
  ['', '23:30', 'UTC'],
  ['ZZ', '23:30', 'UTC'],
  ['no', '23:30', 'UTC'],
  ['Norway', '23:30', 'UTC'],
])('pages 21: a day in %s at %s UTC is told by %s', (country, time, zone) => {
  expect(zoneOfDays(country, at(time))).toBe(zone);
});

it('pages 21: a period is told by one zone', () => {
  expect(zoneOfDays('US', at('02:00'), at('06:00'))).toBe('UTC');
  expect(zoneOfDays('US', at('02:00'), at('03:00'))).toBe('America/Adak');
});
