// Which abandoned checkouts are deleted, and when.
import { checkoutMemory } from '../../core/access/limits.ts';
import { sweepStep } from '../../core/operators/limits.ts';
import { type StaleCheckouts, sweepCheckouts } from '../../storage/access/checkout.ts';
import { indexed, type Sweep } from '../../storage/sweep/sweep.ts';
import type { PaymentMethod } from './payments/payment.ts';

/**
 * Every checkout that was never completed and cannot be any more: at once where nothing is paid before, later
 * where a provider may still report a payment. One whose payment method the service does not have any more
 * counts as the latter.
 *
 * @param now ms
 */
export function staleCheckouts(methods: readonly PaymentMethod[], now: number): readonly Sweep[] {
  const settled = methods.filter(({ kind }) => kind === 'settled').map(({ name }) => name);
  const stale: readonly StaleCheckouts[] = [
    { payments: settled, expiredBefore: now - checkoutMemory.settled },
    { payments: null, expiredBefore: now - checkoutMemory.hosted },
  ];
  return stale.map((which) => indexed('checkouts', (tx) => sweepCheckouts(tx, which, sweepStep)));
}
