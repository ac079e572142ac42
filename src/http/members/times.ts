// Shows days and times in words.
import { zoneOfDays } from '../../text/calendar.ts';
import type { Language } from '../../text/language.ts';
import { memoized } from '../../text/memoized.ts';

const days = memoized(
  (language, zone) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: zone }),
);
/** A period in short, since it stands beside its plan. */
const periods = memoized(
  (language, zone) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: zone }),
);
const moments = memoized(
  (language) =>
    new Intl.DateTimeFormat(language, {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    }),
);
const agos = memoized((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));

/** The reader: the language, and the place if that is known. */
type Reader = Pick<Language, 'tag' | 'country'>;

/** A day, such as "3 March 2026": the reader's own, where it is known where the reader lives (`zoneOfDays`). */
export function dayOf(time: number, { tag, country }: Reader): string {
  return days(tag, zoneOfDays(country, time)).format(time);
}

/** The first and the last day of a period. */
export function periodOf(from: number, to: number, { tag, country }: Reader): string {
  return periods(tag, zoneOfDays(country, from, to)).formatRange(from, to);
}

/** A day and a time of day, which says that it is UTC. */
export function momentOf(time: number, language: string): string {
  return moments(language).format(time);
}

const minute = 60_000;
const hour = 60 * minute;
export const day = 24 * hour;

/** How long ago something was, such as "3 hours ago"; after a month its day. */
export function agoOf(time: number, now: number, reader: Reader): string {
  const ago = Math.max(0, now - time);
  const format = agos(reader.tag);
  if (ago < minute) return format.format(0, 'second');
  if (ago < hour) return format.format(-Math.floor(ago / minute), 'minute');
  if (ago < day) return format.format(-Math.floor(ago / hour), 'hour');
  if (ago < 30 * day) return format.format(-Math.floor(ago / day), 'day');
  return dayOf(time, reader);
}

/** How soon something is, such as "in 15 minutes". */
export function soonOf(seconds: number, { tag }: Pick<Reader, 'tag'>): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return minutes < 60
    ? agos(tag).format(minutes, 'minute')
    : agos(tag).format(Math.ceil(minutes / 60), 'hour');
}

/** Words at the beginning of a line, such as "3 hours ago" and "now": with a capital, if the language has them. */
export const beginning = (words: string, language: string): string =>
  words.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(language));
