// The list of all payment methods.
import { free } from './free.ts';
import { invoice } from './invoice.ts';
import type { PaymentMethod } from './payment.ts';

/** Every payment method of the service. A package that names another one is not offered. */
export const paymentMethods: readonly PaymentMethod[] = [free, invoice];
