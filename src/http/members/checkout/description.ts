// Describes packages and prices: on pages, and in the mail that confirms a subscription.
import { endOfPeriod, type Package, type Price } from '../../../core/access/package.ts';
import type { Given } from '../../../operations/access/checkout.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { findMember } from '../../../storage/members/member.ts';
import type { Tx } from '../../../storage/store.ts';
import { chooseLanguage, type Language } from '../../../text/language.ts';
import { memoized } from '../../../text/memoized.ts';
import type { PageDeps } from '../../pages/guarded-page.ts';
import { periodOf } from '../times.ts';

type Terms = Pick<Package, 'price' | 'period'>;

/**
 * A package as the checkout pages describe it.
 *
 * @param terms the price and the period that hold, where a checkout has kept them
 */
export function describeOffer(offer: Package, language: Language, now: number, terms: Terms = offer) {
  const { id, name, description, products } = offer;
  return {
    id,
    name,
    description,
    products: products.map((product) => product.name),
    price: describePrice(terms, language),
    // Its first and last day, if it begins now.
    runs: periodOf(now, endOfPeriod(now, terms.period), language.tag),
  };
}

/** What a package costs and how often, such as "NOK 199.00 every 3 months", or "Free". */
export function describePrice({ price, period }: Terms, { tag, t }: Language): string {
  if (price.amount === 0) return t('checkout.price.free');
  return `${showPrice(price, tag)} ${t(`checkout.per.${period.unit}`, { count: period.count })}`;
}

const formats = memoized(
  (language, currency) => new Intl.NumberFormat(language, { style: 'currency', currency }),
);

/** A price with the digits that its currency has, such as "NOK 199.00" or "¥500" (ISO 4217). */
export function showPrice({ amount, currency }: Price, language: string): string {
  const format = formats(language, currency);
  const { maximumFractionDigits: digits = 0 } = format.resolvedOptions();
  return format.format(amount / 10 ** digits);
}

/**
 * Confirms a subscription by mail, in the transaction that gives it: what is given once is told once.
 *
 * @param acceptLanguage of the member's browser; undefined where it was not a browser that gave the word
 */
export async function mailSubscribed(
  tx: Tx,
  tenant: OpenTenant,
  { checkout, offer, subscription, invoice }: Given,
  acceptLanguage: string | undefined,
  deps: PageDeps,
): Promise<void> {
  const member = await findMember(tx, tenant.id, checkout.memberId);
  // A payment that was reported after its member was erased.
  if (member === null) return;
  const language = chooseLanguage([member.locale], acceptLanguage, tenant.languages);
  await deps.mails.queue(tx, tenant, {
    name: 'subscribed',
    to: member.email,
    memberId: member.id,
    language: language.tag,
    values: {
      fullName: member.fullName,
      package: offer.name,
      price: describePrice(checkout, language),
      until: subscription.expiresAt ?? '',
      invoice: invoice === null ? '' : `${invoice.number} (${showPrice(invoice.price, language.tag)})`,
      due: invoice?.dueAt ?? '',
    },
    link: `${tenant.issuer}/account`,
  });
}
