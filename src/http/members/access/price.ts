import type { Price } from '../../../core/access/package.ts';

/** A price with the digits that its currency has, such as "NOK 199.00" or "¥500" (ISO 4217). */
export function showPrice({ amount, currency }: Price, language: string): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  const { maximumFractionDigits: digits = 0 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits);
}
