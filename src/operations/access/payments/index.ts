// The list of all payment methods.
import type { PaymentMethod } from './payment.ts';

/**
 * Every payment method of the service. A package that names another one is not offered. What is free costs nothing;
 * what is invoiced is paid later: the subscription begins at once, and an invoice says until when it is to be paid.
 */
export const paymentMethods: readonly PaymentMethod[] = [
  { kind: 'settled', name: 'free', isInvoiced: false },
  { kind: 'settled', name: 'invoice', isInvoiced: true },
];
