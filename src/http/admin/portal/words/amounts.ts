// Times, durations and amounts of money in words.

import { memoized } from '../../../../text/memoized.ts';
import { say } from '../../../../text/portal.ts';

/** A moment in UTC: it is not known where its reader is. The script of the page tells it in the reader's own time. */
export function timeText(iso: string): string {
  return say('value.utc', { moment: `${iso.slice(0, 10)} ${iso.slice(11, 16)}` });
}

const spans = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A duration in its largest whole unit: 7,776,000 seconds are "90 days". */
export function durationText(seconds: number): string {
  const [unit, length] = spans.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1];
  return countText(seconds / length, unit);
}

/** A count of units of time, such as "3 months". */
export const countText = (count: number, unit: string) => say(`count.${unit}`, { count });

const prices = memoized(
  (currency) => new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' }),
);

/** An amount in the smallest unit of its currency, with as many decimals as that has. */
export function moneyText(amount: number, currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`;
  return prices(currency).format(amount / 10 ** decimalsOf(currency));
}

/** The same without decimals, for the sum of many amounts. */
export function wholeMoneyText(amount: number, currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return moneyText(amount, currency);
  return `${currency} ${Math.round(amount / 10 ** decimalsOf(currency)).toLocaleString('en')}`;
}

const decimalsOf = (currency: string) => prices(currency).resolvedOptions().maximumFractionDigits ?? 2;
