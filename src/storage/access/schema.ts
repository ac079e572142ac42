// The rows of packages, subscriptions, seats, consents, checkouts and invoices.
import type { Generated } from 'kysely';
import type { Checkout } from '../../core/access/checkout.ts';
import type { Consent } from '../../core/access/consent.ts';
import type { Invoice } from '../../core/access/invoice.ts';
import type { Package, Period } from '../../core/access/package.ts';
import type { SeatGroup } from '../../core/access/seats/seat.ts';
import type { Subscription } from '../../core/access/subscription.ts';
import type { Stored } from '../stored.ts';

/** What a price includes of a tax, in the columns of a row. */
export interface TaxColumns {
  taxName: string;
  /** In hundredths of a percent. */
  taxRate: number | null;
}

/** A price and a period, in the columns of a row. */
export interface OfferColumns {
  price: number;
  currency: string;
  periodUnit: Period['unit'];
  periodCount: number;
}

type StoredPackage = Stored<Package, 'networks', 'renews' | 'needsAddress' | 'offered'>;

export interface PackageRow
  extends Omit<StoredPackage, 'id' | 'products' | 'price' | 'period' | 'taxName' | 'taxPercent'>,
    OfferColumns,
    TaxColumns {
  id: Generated<number>;
}

export interface SubscriptionRow
  extends Omit<Stored<Subscription, 'customPropertyValues'>, 'subscriptionId'> {
  id: number;
}

export type ConsentRow = Stored<Consent, never, 'atSignUp' | 'atCheckout'>;

export interface CheckoutRow extends Omit<Checkout, 'price' | 'period'>, OfferColumns {}

export type SeatGroupRow = Omit<SeatGroup, 'domains' | 'networks'>;

export interface SeatDomainRow extends Pick<SeatGroup, 'tenantId' | 'subscriptionId'> {
  domain: string;
}

export interface SeatNetworkRow extends Pick<SeatGroup, 'tenantId' | 'subscriptionId'> {
  network: string;
}

export interface InvoiceRow
  extends Omit<Stored<Invoice, 'addressee'>, 'price' | 'payTo' | 'taxName' | 'taxPercent'>,
    TaxColumns {
  amount: number;
  currency: string;
  /** JSON */
  payTo: string | null;
}
