// An invoice: what a member owes for a subscription.
import type { Address } from '../members/member.ts';
import type { PayTo } from './invoicing.ts';
import type { Price } from './package.ts';
import type { Tax } from './tax.ts';

/** What a member owes for a subscription, as it was sent. Times are ms since the epoch. */
export interface Invoice extends Tax {
  readonly id: string;
  readonly tenantId: string;
  /** Counts up within the tenant, without a gap. */
  readonly number: number;
  readonly memberId: string;
  readonly subscriptionId: number;
  readonly packageName: string;
  /** How many seats were ordered with it; null for none. */
  readonly seats: number | null;
  readonly price: Price;
  /** How it is to be paid, as the invoice said; null for invoices made before they said so. */
  readonly payTo: PayTo | null;
  /** The address at that time; it does not follow the member's. */
  readonly addressee: Address;
  readonly issuedAt: number;
  readonly dueAt: number;
  readonly paidAt: number | null;
}

export interface InvoiceWrite {
  readonly write: 'insertInvoice';
  readonly invoice: Invoice;
}
