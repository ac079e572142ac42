import { describe, expect, it } from 'vitest';
import {
  insertPackage,
  insertProduct,
  updatePackage,
  updateProduct,
} from '../../src/storage/access/package.ts';
import {
  insertSubscription,
  listSubscriptions,
  nextSubscriptionId,
} from '../../src/storage/access/subscription.ts';
import type { Store } from '../../src/storage/store.ts';
import { packageFacts, storedSubscription } from '../support/records/access-records.ts';
import { storeWithMember } from '../support/records/store.ts';

/** A store whose member has a subscription of a package with one product. */
async function storeWithSubscription() {
  const store = await storeWithMember();
  const ids = await store.transaction(async (tx) => {
    const productId = await insertProduct(tx, 'tenant-a', 'Sport');
    const packageId = await insertPackage(tx, 'tenant-a', packageFacts({ name: 'Basic' }), [productId]);
    const subscriptionId = await nextSubscriptionId(tx);
    await insertSubscription(tx, storedSubscription({ subscriptionId, packageId }));
    return { productId, packageId };
  });
  return { store, ...ids };
}

const listed = async (store: Store) => {
  const [first] = await store.transaction((tx) => listSubscriptions(tx, 'member-1'));
  return { name: first?.packageName, products: first?.products.map(({ name }) => name) };
};

describe('the package that a member’s subscriptions tell of', () => {
  it('has the name and the products that it was given last', async () => {
    const { store, productId, packageId } = await storeWithSubscription();
    expect(await listed(store)).toEqual({ name: 'Basic', products: ['Sport'] });
    await store.transaction((tx) => updateProduct(tx, 'tenant-a', { id: productId, name: 'Football' }));
    expect(await listed(store)).toEqual({ name: 'Basic', products: ['Football'] });
    await store.transaction((tx) =>
      updatePackage(tx, 'tenant-a', packageId, packageFacts({ name: 'Plus' }), []),
    );
    expect(await listed(store)).toEqual({ name: 'Plus', products: [] });
  });

  it('is not told as a transaction saw it that was rolled back', async () => {
    const { store, packageId } = await storeWithSubscription();
    const failing = store.transaction(async (tx) => {
      await updatePackage(tx, 'tenant-a', packageId, packageFacts({ name: 'Plus' }), []);
      expect((await listSubscriptions(tx, 'member-1'))[0]?.packageName).toBe('Plus');
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await listed(store)).toEqual({ name: 'Basic', products: ['Sport'] });
  });
});
