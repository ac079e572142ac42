// The payment method of free packages.
import type { SettledMethod } from './payment.ts';

/** Costs nothing. */
export const free: SettledMethod = { kind: 'settled', name: 'free', isInvoiced: false };
