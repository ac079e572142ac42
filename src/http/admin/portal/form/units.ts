/** Values that people say in other units than operations take: lengths of time in days, money in whole units. */

import { type Schema, typesOf } from '../../../../operations/json-schema.ts';
import { memoized } from '../../../../text/memoized.ts';

/** The name of the field that says the unit of a number. */
export const unitName = (name: string) => `${name}:unit`;

const lengths: readonly (readonly [unit: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Whether a form asks for a number and a unit, and makes seconds of them. */
export const isDuration = (schema: Schema) =>
  schema.format === 'duration' && typesOf(schema).includes('integer');

/** Whether a form asks for an amount as it is written on a price tag. */
export const isMoney = ({ format, properties }: Schema) => format === 'money' && properties !== undefined;

/** The units of a length of time: none that is longer than the longest. */
export function unitsFor({ maximum }: Schema): readonly string[] {
  const most = typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY;
  return lengths.filter(([, seconds]) => seconds <= most).map(([unit]) => unit);
}

/** Seconds in the largest unit that they are whole in: 7,776,000 are 90 days. */
export function inUnits(seconds: number): { readonly count: string; readonly unit: string } {
  const [unit = 'second', length = 1] =
    lengths.find(([, one]) => seconds >= one && seconds % one === 0) ?? [];
  return { count: String(seconds / length), unit };
}

/** What was typed, as something that no schema takes for a number. */
const unreadable = (text: string) => `?${text}`;

/** A number and a unit as seconds. @returns a text, so that what is not a number is still refused */
export function inSeconds(count: string, unit: string): string {
  const number = /^\d{1,12}(?:[.,]\d{1,6})?$/.test(count.trim())
    ? Number(count.trim().replace(',', '.'))
    : null;
  const length = lengths.find(([name]) => name === unit)?.[1];
  if (number === null || length === undefined) return unreadable(count);
  return String(Math.round(number * length * 1_000) / 1_000);
}

/** How many decimals the amounts of a currency have; two if there is no such currency. */
const decimalsOf = memoized((currency: string) => {
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  const { maximumFractionDigits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return maximumFractionDigits ?? 2;
});

/** An amount in the smallest unit as people write it: 14900 of NOK are 149.00. */
export function inMoney(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return amount < 0 ? `-${text}` : text;
}

/**
 * An amount as people write it in the smallest unit. A dot or a comma stands before the decimals; what could be meant
 * for thousands is not guessed at.
 *
 * @returns a text, so that what is not an amount is still refused
 */
export function inSmallestUnit(text: string, currency: string): string {
  const bare = text.replaceAll(/[\s\u00a0\u202f]/g, '');
  const [, sign = '', whole, part = ''] = /^(-?)(\d{1,15})(?:[.,](\d+))?$/.exec(bare) ?? [];
  const decimals = decimalsOf(currency);
  if (whole === undefined || part.length > decimals) return unreadable(text);
  return sign + (whole + part.padEnd(decimals, '0')).replace(/^0+(?=\d)/, '');
}
