// Describes packages and prices in words.
import { endOfPeriod, type Package } from '../../../core/access/package.ts';
import type { Language } from '../../../text/language.ts';
import { memoized } from '../../../text/memoized.ts';
import { showPrice } from '../access/price.ts';

/** A package as the checkout pages describe it. */
export interface OfferWords {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly products: readonly string[];
  /** Such as "NOK 199.00 every 3 months", or "Free". */
  readonly price: string;
  /** Its first and last day, if it begins now. */
  readonly runs: string;
}

const periods = memoized(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }),
);

/** @param terms the price and the period that hold, where a checkout has kept them */
export function offerWords(
  offer: Package,
  { tag, t }: Language,
  now: number,
  terms: Pick<Package, 'price' | 'period'> = offer,
): OfferWords {
  const { id, name, description, products } = offer;
  return {
    id,
    name,
    description,
    products: products.map((product) => product.name),
    price: priceWords(terms, { tag, t }),
    runs: periods(tag).formatRange(now, endOfPeriod(now, terms.period)),
  };
}

/** What a package costs and how often, in words. */
export function priceWords(
  { price, period }: Pick<Package, 'price' | 'period'>,
  { tag, t }: Pick<Language, 'tag' | 't'>,
): string {
  if (price.amount === 0) return t('checkout.price.free');
  return `${showPrice(price, tag)} ${t(`checkout.per.${period.unit}`, { count: period.count })}`;
}
