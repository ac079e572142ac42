// Shows prices, and the tax in them.
import type { Price } from '../../core/access/package.ts';
import { type Tax, taxWithin } from '../../core/access/tax.ts';
import type { Language } from '../../text/language.ts';
import { memoized } from '../../text/memoized.ts';

const formats = memoized(
  (language, currency) => new Intl.NumberFormat(language, { style: 'currency', currency }),
);
const shortFormats = memoized(
  (language, currency) =>
    new Intl.NumberFormat(language, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }),
);
const percents = memoized(
  (language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }),
);

/**
 * A price with the digits that its currency has, such as "NOK 199.00" or "¥500" (ISO 4217); a short one is "NOK 199"
 * where nothing but zeros would follow.
 */
export function showPrice({ amount, currency }: Price, language: string, length?: 'short'): string {
  const format = (length === 'short' ? shortFormats : formats)(language, currency);
  const { maximumFractionDigits: digits = 0 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits);
}

/** The tax in a price, and how much it is; null if the price names none. */
export function showTax({ taxName, taxPercent }: Tax, price: Price, { t, tag }: Language) {
  if (taxPercent === null) return null;
  const name = taxName === '' ? t('checkout.order.vat') : taxName;
  return {
    label: t('checkout.order.tax', { tax: name, percent: percents(tag).format(taxPercent / 100) }),
    amount: showPrice({ ...price, amount: taxWithin(price, taxPercent) }, tag),
  };
}
