import { describe, expect, it } from 'vitest';
import type { Checkout } from '../../../src/core/access/checkout.ts';
import type { Subscription } from '../../../src/core/access/subscription.ts';
import type { Write } from '../../../src/core/write.ts';
import { findCheckout, insertCheckout, listCheckouts } from '../../../src/storage/access/checkout.ts';
import { insertPackage, insertProduct } from '../../../src/storage/access/package.ts';
import {
  findSubscription,
  listSubscriptions,
  nextSubscriptionId,
  updateCustomPropertyValues,
} from '../../../src/storage/access/subscription.ts';
import { apply } from '../../../src/storage/apply.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import type { Store } from '../../../src/storage/store.ts';
import {
  checkoutRecord,
  packageFacts,
  storedOf,
  subscriptionRecord,
} from '../../support/records/access-records.ts';
import { day, memberRecord, now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

/** A store with the packages Gold, of two products, and News, of none; and a member of tenant b. */
async function storeWithPackages() {
  const store = await storeWithMember();
  const ids = await store.transaction(async (tx) => {
    await insertMember(tx, memberRecord({ id: 'member-2', tenantId: 'tenant-b' }), 'hash');
    const film = await insertProduct(tx, 'tenant-a', 'Film');
    const sport = await insertProduct(tx, 'tenant-a', 'Sport');
    const gold = await insertPackage(tx, 'tenant-a', packageFacts(), [film, sport]);
    const news = await insertPackage(tx, 'tenant-a', packageFacts({ name: 'News' }), []);
    return { film, sport, gold, news };
  });
  return { store, ...ids };
}

const insert = (store: Store, ...subscriptions: readonly Subscription[]) =>
  store.transaction((tx) =>
    apply(
      tx,
      subscriptions.map((subscription) => ({ write: 'insertSubscription', subscription })),
    ),
  );

const applied = (store: Store, write: Write) => store.transaction((tx) => apply(tx, [write]));

describe('subscriptions', () => {
  it('are read as they were written, oldest first, each with its package and products', async () => {
    const { store, gold, news, film, sport } = await storeWithPackages();
    const products = [
      { id: film, name: 'Film' },
      { id: sport, name: 'Sport' },
    ];
    const first = subscriptionRecord({
      packageId: gold,
      products,
      customPropertyValues: { seats: 2.5, code: '"x"', since: '2026-01-01T00:00:00.000Z' },
    });
    const bare = { packageId: news, packageName: 'News', products: [], customPropertyValues: {} };
    const cancelled = subscriptionRecord({
      ...bare,
      subscriptionId: 42,
      state: 'cancelled',
      createdAt: now - 9_000,
      cancelledAt: now - 1,
    });
    const ended = subscriptionRecord({
      ...bare,
      subscriptionId: 43,
      state: 'ended',
      activatedAt: null,
      expiresAt: null,
      endedAt: now - 2,
    });
    const again = subscriptionRecord({ subscriptionId: 44, packageId: gold, products });
    const all = [first, cancelled, ended, again];
    await insert(store, ...all.toReversed().map(storedOf));
    const found = await store.transaction(async (tx) => ({
      listed: await listSubscriptions(tx, 'member-1'),
      found: await findSubscription(tx, 'tenant-a', 42),
    }));
    expect(found).toEqual({ listed: all, found: storedOf(cancelled) });
  });

  it('of another member are not listed, and of another tenant not found', async () => {
    const { store, gold } = await storeWithPackages();
    await insert(store, storedOf(subscriptionRecord({ packageId: gold })));
    const found = await store.transaction(async (tx) => ({
      listed: await listSubscriptions(tx, 'member-2'),
      found: [await findSubscription(tx, 'tenant-b', 41), await findSubscription(tx, 'tenant-a', 42)],
    }));
    expect(found).toEqual({ listed: [], found: [null, null] });
  });

  it('are numbered on from the last', async () => {
    const { store, gold } = await storeWithPackages();
    expect(await store.transaction(nextSubscriptionId)).toBe(1);
    await insert(store, storedOf(subscriptionRecord({ packageId: gold })));
    expect(await store.transaction(nextSubscriptionId)).toBe(42);
  });

  it('move with every time that a move changes, and nothing else', async () => {
    const { store, gold } = await storeWithPackages();
    const running = storedOf(subscriptionRecord({ packageId: gold }));
    const other = { ...running, subscriptionId: 42 };
    await insert(store, running, other);
    const changes = {
      state: 'ended',
      activatedAt: now - 1,
      expiresAt: now + day,
      cancelledAt: now - 2,
      endedAt: now - 3,
    } as const;
    const elsewhere = { packageId: 999, createdAt: 1, customPropertyValues: { seats: 9 } };
    await applied(store, {
      write: 'moveSubscription',
      from: 'active',
      by: 'end',
      subscription: { ...running, ...changes, ...elsewhere },
    });
    const found = await store.transaction(async (tx) => [
      await findSubscription(tx, 'tenant-a', 41),
      await findSubscription(tx, 'tenant-a', 42),
    ]);
    expect(found).toEqual([{ ...running, ...changes }, other]);
  });

  it('move from the state they are in alone', async () => {
    const { store, gold } = await storeWithPackages();
    const running = storedOf(subscriptionRecord({ packageId: gold }));
    await insert(store, running);
    const ended = { ...running, state: 'ended', endedAt: now } as const;
    for (const from of ['pending', 'cancelled', 'expired', 'ended'] as const) {
      const move = applied(store, { write: 'moveSubscription', from, by: 'end', subscription: ended });
      await expect(move).rejects.toThrow('subscriptions: 0 rows changed');
    }
    expect(await store.transaction((tx) => findSubscription(tx, 'tenant-a', 41))).toEqual(running);
  });

  it('take all custom properties anew', async () => {
    const { store, gold } = await storeWithPackages();
    const running = storedOf(subscriptionRecord({ packageId: gold }));
    await insert(store, running);
    const found = await store.transaction(async (tx) => {
      await updateCustomPropertyValues(tx, running, { seats: 3 });
      return findSubscription(tx, 'tenant-a', 41);
    });
    expect(found).toEqual({
      ...running,
      customPropertyValues: { seats: 3 },
    });
  });
});

describe('checkouts', () => {
  const bare: Partial<Checkout> = {
    id: 'checkout-2',
    reference: null,
    onCheckoutCompletedUrl: null,
    callBackUrl: null,
  };

  it('are read as they were written, oldest first', async () => {
    const { store, gold } = await storeWithPackages();
    await insert(store, storedOf(subscriptionRecord({ packageId: gold })));
    const open = checkoutRecord({ packageId: gold });
    const completed = checkoutRecord({
      ...bare,
      packageId: gold,
      state: 'completed',
      createdAt: open.createdAt - 1,
      closedAt: now - 1,
      paymentReference: 'payment 7',
      subscriptionId: 41,
    });
    const found = await store.transaction(async (tx) => {
      await insertCheckout(tx, open);
      await insertCheckout(tx, completed);
      return [
        await listCheckouts(tx, 'member-1'),
        [await findCheckout(tx, 'tenant-a', 'checkout-1'), await findCheckout(tx, 'tenant-a', 'checkout-2')],
      ];
    });
    expect(found).toEqual([
      [completed, open],
      [open, completed],
    ]);
  });

  it('K10: of another tenant are not found, and of another member not listed', async () => {
    const { store, gold } = await storeWithPackages();
    const found = await store.transaction(async (tx) => {
      await insertCheckout(tx, checkoutRecord({ packageId: gold }));
      return [
        await findCheckout(tx, 'tenant-b', 'checkout-1'),
        await findCheckout(tx, 'tenant-a', 'checkout-2'),
        await listCheckouts(tx, 'member-2'),
      ];
    });
    expect(found).toEqual([null, null, []]);
  });

  it('move with what a move changes and nothing else, from the state they are in alone', async () => {
    const { store, gold } = await storeWithPackages();
    const open = checkoutRecord({ packageId: gold });
    const completed = {
      state: 'completed',
      closedAt: now - 1,
      paymentReference: 'payment 7',
      subscriptionId: 41,
    } as const;
    await insert(store, storedOf(subscriptionRecord({ packageId: gold })));
    await store.transaction((tx) => insertCheckout(tx, open));
    const elsewhere = { price: { amount: 1, currency: 'EUR' }, reference: 'other', callBackUrl: null };
    const move = {
      write: 'moveCheckout',
      checkout: { ...open, ...completed, ...elsewhere },
    } as const;
    for (const from of ['completed', 'cancelled', 'expired'] as const) {
      await expect(applied(store, { ...move, from })).rejects.toThrow('checkouts: 0 rows changed');
    }
    const find = () => store.transaction((tx) => findCheckout(tx, 'tenant-a', 'checkout-1'));
    expect(await find()).toEqual(open);
    await applied(store, { ...move, from: 'open' });
    expect(await find()).toEqual({ ...open, ...completed });
  });
});
