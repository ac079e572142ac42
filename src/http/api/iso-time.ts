// Reads times of ISO 8601.
import { isoTime } from '../../core/access/iso-time.ts';

const form = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?:Z|([+ -])(\d\d)(?::?(\d\d))?)$/;

/**
 * A date and time in the extended form of ISO 8601 with its offset; seconds, and minutes of the offset, may be
 * left out. For the + of an offset a space is taken too: that is what + means in a query (WHATWG URL §5.1).
 */
export const isoTimePattern = form.source;

/**
 * Reads such a time.
 *
 * @returns ms, cut to whole ones; null if there is no such time, or it is not of the years 0 to 9999 in UTC
 */
export function parseIsoTime(text: string): number | null {
  const found = form.exec(text);
  if (found === null) return null;
  const [, date, time = '', sign, hours = '00', minutes = '00'] = found;
  const local = Date.parse(`${date}T${time.replace(',', '.')}Z`);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(local) || !isoTime(local).startsWith(String(date))) return null;
  if (hours > '23' || minutes > '59') return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const ms = sign === '-' ? local + offset : local - offset;
  return /^\d{4}-/.test(isoTime(ms)) ? ms : null;
}
