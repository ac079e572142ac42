import type { Period, Price } from '../../../core/access/package.ts';

/** A price with the digits that its currency has, such as "NOK 199.00" or "¥500" (ISO 4217). */
export function showPrice({ amount, currency }: Price, language: string): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  const { maximumFractionDigits: digits = 0 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits);
}

/** How long a subscription runs, such as "3 months". */
export function showPeriod({ unit, count }: Period, language: string): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
