import { describe, expect, it } from 'vitest';
import type { Checkout } from '../../../src/core/access/checkout.ts';
import { checkoutMemory } from '../../../src/core/access/limits.ts';
import { sweepBite, sweepStep } from '../../../src/core/operators/limits.ts';
import { staleCheckouts } from '../../../src/operations/access/checkout.ts';
import { paymentMethods } from '../../../src/operations/access/payment.ts';
import { insertCheckout, listCheckouts } from '../../../src/storage/access/checkout.ts';
import { insertPackage } from '../../../src/storage/access/package.ts';
import { insertSubscription } from '../../../src/storage/access/subscription.ts';
import type { Store } from '../../../src/storage/store.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { checkoutRecord, packageFacts, storedSubscription } from '../../support/records/access-records.ts';
import { now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const { settled, hosted } = checkoutMemory;

/** A store whose member has these checkouts of one package, each by the number of its place. */
async function storeWith(checkouts: readonly Partial<Checkout>[]) {
  const store = await storeWithMember();
  await store.transaction(async (tx) => {
    const packageId = await insertPackage(tx, 'tenant-a', packageFacts(), []);
    await insertSubscription(tx, storedSubscription({ packageId }));
    for (const [index, checkout] of checkouts.entries()) {
      await insertCheckout(tx, checkoutRecord({ id: `checkout-${index}`, packageId, ...checkout }));
    }
  });
  const left = async () => {
    const kept = await store.transaction((tx) => listCheckouts(tx, 'member-1'));
    return kept.map(({ id }) => Number(id.replace('checkout-', ''))).sort((a, b) => a - b);
  };
  return { store, left };
}

/** @returns how many were deleted */
async function deleteStale(store: Store): Promise<number> {
  let deleted = 0;
  for (const sweep of staleCheckouts(paymentMethods, now)) deleted += await sweepThrough(store, sweep);
  return deleted;
}

/** Over for this long, and a millisecond before. */
const around = (memory: number) => [{ expiresAt: now - memory - 1 }, { expiresAt: now - memory }];

describe('checkouts that led nowhere', () => {
  it.each<[string, Partial<Checkout>, number]>([
    ['of a free package', { payment: 'free' }, settled],
    ['that an invoice would have paid', { payment: 'invoice' }, settled],
    ['that a provider may still report as paid', { payment: 'card' }, hosted],
  ])(
    '%s are deleted when that long has passed since their time was over, and not before',
    async (_what, of, memory) => {
      for (const state of ['open', 'cancelled', 'expired'] as const) {
        const { store, left } = await storeWith(around(memory).map((times) => ({ ...of, ...times, state })));
        expect([state, await deleteStale(store)]).toEqual([state, 1]);
        expect([state, await left()]).toEqual([state, [1]]);
      }
    },
  );

  it('one that was completed is kept for good', async () => {
    const completed = { state: 'completed', subscriptionId: 41, expiresAt: 1 } as const;
    const { store, left } = await storeWith([
      { ...completed, payment: 'card' },
      { ...completed, payment: 'free' },
    ]);
    expect(await deleteStale(store)).toBe(0);
    expect(await left()).toEqual([0, 1]);
  });

  it('are deleted a few at a time, until none is left', async () => {
    const count = sweepBite.rows + 1;
    const stale = { payment: 'free', expiresAt: 1 };
    const { store, left } = await storeWith([...Array.from({ length: count }, () => stale), {}]);
    const bitten = await store.transaction(async (tx) =>
      staleCheckouts(paymentMethods, now)[0]?.bite(tx, ''),
    );
    const some = bitten?.deleted ?? 0;
    expect(some).toBeGreaterThanOrEqual(sweepStep);
    expect(some).toBeLessThanOrEqual(sweepBite.rows);
    expect([bitten?.next, (await left()).length]).toEqual(['', count + 1 - some]);
    expect(await deleteStale(store)).toBe(count - some);
    expect(await left()).toEqual([count]);
  });
});
