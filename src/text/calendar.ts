// Which day it is for a reader, as far as that is known.
import { memoized } from './memoized.ts';

/** What a locale of ECMA-402 knows too. */
interface Place extends Intl.Locale {
  getTimeZones(): readonly string[] | undefined;
}

/** The times that a country has, as the names of its zones; none of what is no country. */
const zonesOf = memoized((country): readonly string[] =>
  /^[A-Z]{2}$/.test(country) ? ((new Intl.Locale(`und-${country}`) as Place).getTimeZones() ?? []) : [],
);

const days = memoized((zone) => new Intl.DateTimeFormat('en', { dateStyle: 'short', timeZone: zone }));

/**
 * The zone in which days are told: that of the reader's country, where it is one and the same day in all of it, and UTC
 * where it is not, or the country is not known.
 *
 * @param country two letters (ISO 3166-1)
 * @param times ms: each of them is to be told
 */
export function zoneOfDays(country: string | null | undefined, ...times: readonly number[]): string {
  const zones = country == null ? [] : zonesOf(country);
  const [first] = zones;
  if (first === undefined) return 'UTC';
  const isOne = times.every((time) => new Set(zones.map((zone) => days(zone).format(time))).size === 1);
  return isOne ? first : 'UTC';
}
