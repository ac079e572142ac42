// The payment method of packages that are invoiced.
import type { SettledMethod } from './payment.ts';

/** Is paid later: the subscription begins at once, and an invoice says until when it is to be paid. */
export const invoice: SettledMethod = { kind: 'settled', name: 'invoice', isInvoiced: true };
