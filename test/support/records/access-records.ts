import type { Checkout } from '../../../src/core/access/checkout.ts';
import { type Consent, type ConsentChange, wordsOf } from '../../../src/core/access/consent.ts';
import type { ContentChannel } from '../../../src/core/access/content-channel.ts';
import type { Invoice } from '../../../src/core/access/invoice.ts';
import type { Package, PackageFacts } from '../../../src/core/access/package.ts';
import { beginSeat, type Seat } from '../../../src/core/access/seats/seat.ts';
import type { MemberSubscription, Subscription } from '../../../src/core/access/subscription.ts';
import { day, hour, memberRecord, now } from './records.ts';

/** A package of tenant-a, with every field telling. */
export function packageRecord(changes: Partial<Package> = {}): Package {
  return {
    id: 7,
    tenantId: 'tenant-a',
    name: 'Gold',
    description: 'Film and sport',
    products: [
      { id: 71, name: 'Film' },
      { id: 72, name: 'Sport' },
    ],
    price: { amount: 19_900, currency: 'NOK' },
    taxName: 'VAT',
    taxPercent: 25,
    period: { unit: 'month', count: 3 },
    renews: true,
    payment: 'invoice',
    needsAddress: true,
    seats: null,
    offered: true,
    networks: ['8.8.8.0/24'],
    ...changes,
  };
}

/** What an operator says of that package. */
export function packageFacts(changes: Partial<PackageFacts> = {}): PackageFacts {
  const { id: _, tenantId: __, products: ___, ...facts } = packageRecord();
  return { ...facts, ...changes };
}

/** A subscription of member-1 to that package that runs, with every field telling. */
export function subscriptionRecord(changes: Partial<MemberSubscription> = {}): MemberSubscription {
  return {
    subscriptionId: 41,
    tenantId: 'tenant-a',
    memberId: 'member-1',
    packageId: 7,
    packageName: 'Gold',
    products: packageRecord().products,
    renews: packageRecord().renews,
    price: packageRecord().price,
    period: packageRecord().period,
    state: 'active',
    createdAt: now - 3_001,
    activatedAt: now - 2_002,
    expiresAt: now + 1_003,
    cancelledAt: null,
    endedAt: null,
    customPropertyValues: { seats: 2, code: 'x', since: '2026-01-01T00:00:00.000Z' },
    ...changes,
  };
}

/** What is stored of such a subscription. */
export function storedSubscription(changes: Partial<MemberSubscription> = {}): Subscription {
  return storedOf(subscriptionRecord(changes));
}

/** What is stored of a subscription that profiles and pages show. */
export function storedOf({
  packageName: _,
  products: __,
  renews: ___,
  price: ____,
  period: _____,
  ...stored
}: MemberSubscription): Subscription {
  return stored;
}

/** A channel that one of the two products opens. */
export function channelRecord(changes: Partial<ContentChannel> = {}): ContentChannel {
  return {
    id: 'sport-live',
    tenantId: 'tenant-a',
    name: 'Sport live',
    description: 'Every match',
    productIds: [72],
    ...changes,
  };
}

export function consentRecord(changes: Partial<Consent> = {}): Consent {
  return {
    id: 'newsletter',
    tenantId: 'tenant-a',
    name: 'Newsletter',
    description: 'A mail every Friday',
    atSignUp: true,
    atCheckout: false,
    retiredAt: null,
    ...changes,
  };
}

/** What a form says that showed these consents. */
export function askedFor(...consents: readonly Consent[]): string {
  return consents.map((consent) => `${consent.id}.${wordsOf(consent)}`).join(' ');
}

/** An open checkout of member-1 for that package, begun an hour ago. */
export function checkoutRecord(changes: Partial<Checkout> = {}): Checkout {
  const { id: packageId, payment, price, period } = packageRecord();
  return {
    id: 'checkout-1',
    tenantId: 'tenant-a',
    memberId: 'member-1',
    packageId,
    state: 'open',
    payment,
    price,
    period,
    reference: 'article/42',
    onCheckoutCompletedUrl: 'https://app.test/done',
    callBackUrl: 'https://app.test/back',
    createdAt: now - hour,
    expiresAt: now + hour,
    closedAt: null,
    paymentReference: null,
    subscriptionId: null,
    ...changes,
  };
}

/** An answer of member-1 to that consent, given in an app yesterday, with every field telling. */
export function consentChangeRecord(changes: Partial<ConsentChange> = {}): ConsentChange {
  const { id: consentId, name, description } = consentRecord();
  return {
    tenantId: 'tenant-a',
    memberId: 'member-1',
    consentId,
    status: 'accepted',
    name,
    description,
    source: 'api',
    clientId: 'client-1',
    changedAt: now - day,
    ...changes,
  };
}

/** An invoice to member-1 for that subscription, paid within an hour, with every field telling. */
export function invoiceRecord(changes: Partial<Invoice> = {}): Invoice {
  const { subscriptionId, packageName } = subscriptionRecord();
  return {
    id: 'invoice-1',
    tenantId: 'tenant-a',
    number: 12,
    memberId: 'member-1',
    subscriptionId,
    packageName,
    seats: 25,
    price: packageRecord().price,
    taxName: 'VAT',
    taxPercent: 25,
    payTo: { payee: 'Gold AS', account: 'NO93 8601 1117 947', bic: 'DNBANOKK', note: 'Storgata 1' },
    addressee: memberRecord().address,
    issuedAt: now - 2 * hour,
    dueAt: now + 14 * day,
    paidAt: now - hour,
    ...changes,
  };
}

/** A seat of that subscription, to which an address was invited an hour ago. */
export function seatRecord(changes: Partial<Seat> = {}): Seat {
  const facts = { id: 'seat-1', tenantId: 'tenant-a', subscriptionId: 41, email: 'pupil@school.example' };
  return { ...beginSeat(facts, now - hour), ...changes };
}
