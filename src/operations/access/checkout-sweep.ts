import { checkoutMemory, checkoutsDeletedAtOnce } from '../../core/access/limits.ts';
import { type StaleCheckouts, sweepCheckouts } from '../../storage/access/checkout.ts';
import type { Store } from '../../storage/store.ts';
import type { PaymentMethod } from './payments/payment.ts';

/**
 * Deletes every checkout that was never completed and cannot be any more: at once where nothing is paid
 * before, later where a provider may still report a payment. One whose payment method the service does not
 * have any more counts as the latter.
 *
 * @param now ms
 * @returns how many were deleted
 */
export async function deleteStaleCheckouts(
  store: Store,
  methods: readonly PaymentMethod[],
  now: number,
): Promise<number> {
  const settled = methods.filter(({ kind }) => kind === 'settled').map(({ name }) => name);
  return (
    (await deleteAll(store, { payments: settled, expiredBefore: now - checkoutMemory.settled })) +
    (await deleteAll(store, { payments: null, expiredBefore: now - checkoutMemory.hosted }))
  );
}

async function deleteAll(store: Store, stale: StaleCheckouts): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await store.transaction((tx) => sweepCheckouts(tx, stale, checkoutsDeletedAtOnce));
    deleted += count;
    if (count < checkoutsDeletedAtOnce) return deleted;
  }
}
