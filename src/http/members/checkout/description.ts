// Describes packages, prices and orders, on the pages of the checkout and wherever else money is shown.
import { endOfPeriod, type Package } from '../../../core/access/package.ts';
import { day } from '../../../core/limits.ts';
import { showPrice, showTax } from '../../../operations/access/price.ts';
import type { Language } from '../../../text/language.ts';
import { dayOf, periodOf } from '../times.ts';

/** What holds of an order: of the package, or of the checkout that has kept it. */
type Terms = Pick<Package, 'price' | 'period' | 'payment'>;

/** A package as the checkout pages describe it. */
export function describeOffer(offer: Package, { tag, t }: Language, { price, period }: Terms = offer) {
  const { id, name, description, products, seats } = offer;
  const isFree = price.amount === 0;
  return {
    id,
    name,
    description,
    products: [
      ...products.map((product) => product.name),
      ...(seats === null ? [] : [t('checkout.seats.offer', { count: seats })]),
    ],
    price: isFree ? t('checkout.price.free') : showPrice(price, tag, 'short'),
    per: isFree ? '' : t(`checkout.per.${period.unit}`, { count: period.count }),
  };
}

/** When an order is looked at, and how many days an invoice of the tenant gives. */
interface Moment {
  readonly now: number;
  readonly dueDays: number;
}

/** What an order comes to if it begins now: what of it is tax, what is due when, and what comes after it. */
export function describeOrder(offer: Package, language: Language, at: Moment, terms: Terms = offer) {
  const { tag, t } = language;
  const { price, period, payment } = terms;
  const ends = endOfPeriod(at.now, period);
  const days = payment === 'invoice' ? at.dueDays : 0;
  return {
    id: offer.id,
    name: offer.name,
    seats: seatsOf(offer, language),
    // Its first and last day.
    runs: periodOf(at.now, ends, language),
    amount: price.amount === 0 ? t('checkout.price.free') : showPrice(price, tag),
    tax: price.amount === 0 ? null : showTax(offer, price, language),
    total: t(days === 0 ? 'checkout.order.today' : 'checkout.order.total'),
    due: days === 0 ? null : t('checkout.order.by', { date: dayOf(at.now + days * day, language) }),
    notes: offer.renews
      ? renewalOf(terms, ends, language)
      : [t('checkout.order.ends', { date: dayOf(ends, language) })],
  };
}

/** How many more members a package gives access to, in words; null for its holder alone. */
export const seatsOf = ({ seats }: Pick<Package, 'seats'>, { t }: Language): string | null =>
  seats === null ? null : t('checkout.seats', { count: seats });

/** What comes after the first period of what its operator renews, and how to stop it. */
function renewalOf(terms: Terms, ends: number, language: Language): readonly string[] {
  const { t } = language;
  const date = dayOf(ends, language);
  const price = describePrice(terms, language);
  const isFree = terms.price.amount === 0;
  return [
    isFree ? t('checkout.order.renewsFree', { date }) : t('checkout.order.renews', { date, price }),
    t('checkout.order.stop'),
  ];
}

/** What a package costs and how often, such as "NOK 199.00 every 3 months", or "Free". */
export function describePrice({ price, period }: Omit<Terms, 'payment'>, { tag, t }: Language): string {
  if (price.amount === 0) return t('checkout.price.free');
  return `${showPrice(price, tag)} ${t(`checkout.per.${period.unit}`, { count: period.count })}`;
}
