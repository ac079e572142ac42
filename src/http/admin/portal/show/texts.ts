import { memoized } from '../../../../text/memoized.ts';

const prices = memoized(
  (currency) => new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' }),
);
/** A moment as administrators read it: in UTC, since it is not known where they are. */
export function timeText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
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

export function countText(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
}

/** A period of a package, such as "3 months". */
export function periodText(count: number, unit: string): string {
  return countText(count, unit);
}

/** An amount in the smallest unit of its currency, with as many decimals as that has. */
export function moneyText(amount: number, currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`;
  const format = prices(currency);
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
