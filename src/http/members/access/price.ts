// Shows a price in words.
import type { Price } from '../../../core/access/package.ts';
import { memoized } from '../../../text/memoized.ts';

const formats = memoized(
  (language, currency) => new Intl.NumberFormat(language, { style: 'currency', currency }),
);

/** A price with the digits that its currency has, such as "NOK 199.00" or "¥500" (ISO 4217). */
export function showPrice({ amount, currency }: Price, language: string): string {
  const format = formats(language, currency);
  const { maximumFractionDigits: digits = 0 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits);
}
