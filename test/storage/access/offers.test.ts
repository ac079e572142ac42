import { describe, expect, it } from 'vitest';
import type { ContentChannel } from '../../../src/core/access/content-channel.ts';
import type { PackageFacts } from '../../../src/core/access/package.ts';
import {
  deleteContentChannel,
  listContentChannels,
  saveContentChannel,
} from '../../../src/storage/access/content-channel.ts';
import {
  findPackage,
  insertPackage,
  insertProduct,
  listPackageProducts,
  listPackages,
  listProducts,
  updatePackage,
  updateProduct,
} from '../../../src/storage/access/package.ts';
import { insertCustomProperty, listCustomProperties } from '../../../src/storage/access/subscription.ts';
import type { Tx } from '../../../src/storage/store.ts';
import { channelRecord, packageFacts } from '../../support/records/access-records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const gold = packageFacts();

/** The opposite of the other package in every field. */
const plain: PackageFacts = {
  name: 'جريدة',
  description: '',
  price: { amount: 0, currency: 'EUR' },
  taxName: '',
  taxPercent: null,
  renews: false,
  period: { unit: 'day', count: 1 },
  payment: 'free',
  needsAddress: false,
  seats: null,
  offered: false,
  networks: [],
};

/** Film and Sport of tenant a, News of tenant b. */
async function insertProducts(tx: Tx) {
  const film = await insertProduct(tx, 'tenant-a', 'Film');
  const news = await insertProduct(tx, 'tenant-b', 'News');
  const sport = await insertProduct(tx, 'tenant-a', 'Sport');
  return { film, news, sport };
}

async function storeWithProducts() {
  const store = await storeWithMember();
  return { store, ...(await store.transaction(insertProducts)) };
}

describe('products', () => {
  it('are listed for their tenant alone, in the order in which they were made', async () => {
    const { store, film, news, sport } = await storeWithProducts();
    const found = await store.transaction(async (tx) => [
      await listProducts(tx, 'tenant-a'),
      await listProducts(tx, 'tenant-b'),
    ]);
    expect(found).toEqual([
      [
        { id: film, name: 'Film' },
        { id: sport, name: 'Sport' },
      ],
      [{ id: news, name: 'News' }],
    ]);
  });

  it('take another name, from their own tenant alone', async () => {
    const { store, film, news, sport } = await storeWithProducts();
    const renamed = await store.transaction(async (tx) => [
      await updateProduct(tx, 'tenant-a', { id: film, name: 'Films' }),
      await updateProduct(tx, 'tenant-a', { id: news, name: 'Ours' }),
      await updateProduct(tx, 'tenant-a', { id: 999, name: 'Nothing' }),
    ]);
    expect(renamed).toEqual([true, false, false]);
    const names = await store.transaction(async (tx) => [
      ...(await listProducts(tx, 'tenant-a')),
      ...(await listProducts(tx, 'tenant-b')),
    ]);
    expect(names).toEqual([
      { id: film, name: 'Films' },
      { id: sport, name: 'Sport' },
      { id: news, name: 'News' },
    ]);
  });
});

describe('packages', () => {
  it('are read as they were written, field by field, each with its products once', async () => {
    const { store, film, sport } = await storeWithProducts();
    const [one, other, foreign] = await store.transaction(async (tx) => [
      await insertPackage(tx, 'tenant-a', gold, [sport, film, sport]),
      await insertPackage(tx, 'tenant-a', plain, []),
      await insertPackage(tx, 'tenant-b', gold, []),
    ]);
    const products = [
      { id: film, name: 'Film' },
      { id: sport, name: 'Sport' },
    ];
    const expected = [
      { ...gold, id: one, tenantId: 'tenant-a', products },
      { ...plain, id: other, tenantId: 'tenant-a', products: [] },
    ];
    const found = await store.transaction(async (tx) => ({
      listed: await listPackages(tx, 'tenant-a'),
      found: [await findPackage(tx, 'tenant-a', one ?? 0), await findPackage(tx, 'tenant-a', other ?? 0)],
      ofTenantB: (await listPackages(tx, 'tenant-b')).map(({ id }) => id),
    }));
    expect(found).toEqual({ listed: expected, found: expected, ofTenantB: [foreign] });
  });

  it('of another tenant are not found', async () => {
    const { store } = await storeWithProducts();
    const found = await store.transaction(async (tx) => {
      const id = await insertPackage(tx, 'tenant-a', gold, []);
      return [await findPackage(tx, 'tenant-b', id), await findPackage(tx, 'tenant-a', id + 1)];
    });
    expect(found).toEqual([null, null]);
  });

  it('change every field and what they open', async () => {
    const { store, film, sport } = await storeWithProducts();
    const found = await store.transaction(async (tx) => {
      const id = await insertPackage(tx, 'tenant-a', gold, [film]);
      const changed = await updatePackage(tx, 'tenant-a', id, plain, [sport]);
      return { changed, is: await findPackage(tx, 'tenant-a', id), id };
    });
    const products = [{ id: sport, name: 'Sport' }];
    expect(found).toEqual({
      changed: true,
      is: { ...plain, id: found.id, tenantId: 'tenant-a', products },
      id: found.id,
    });
  });

  it('of another tenant are not changed, nor what they open', async () => {
    const { store, film } = await storeWithProducts();
    const found = await store.transaction(async (tx) => {
      const id = await insertPackage(tx, 'tenant-a', gold, [film]);
      const before = await findPackage(tx, 'tenant-a', id);
      const changed = await updatePackage(tx, 'tenant-b', id, plain, []);
      return { changed, before, after: await findPackage(tx, 'tenant-a', id) };
    });
    expect(found.changed).toBe(false);
    expect(found.after).toEqual(found.before);
  });

  it('give the products of several at once', async () => {
    const { store, film, sport } = await storeWithProducts();
    const found = await store.transaction(async (tx) => {
      const one = await insertPackage(tx, 'tenant-a', gold, [film, sport]);
      const other = await insertPackage(tx, 'tenant-a', plain, [film]);
      await insertPackage(tx, 'tenant-a', plain, [sport]);
      return [await listPackageProducts(tx, [one, other]), await listPackageProducts(tx, []), one, other];
    });
    const [listed, none, one, other] = found;
    expect(none).toEqual([]);
    expect(listed).toHaveLength(3);
    expect(listed).toEqual(
      expect.arrayContaining([
        { packageId: one, id: film, name: 'Film' },
        { packageId: other, id: film, name: 'Film' },
        { packageId: one, id: sport, name: 'Sport' },
      ]),
    );
  });
});

describe('custom properties', () => {
  it('are listed by key, for their tenant alone', async () => {
    const store = await storeWithMember();
    const found = await store.transaction(async (tx) => {
      await insertCustomProperty(tx, 'tenant-a', { key: 'since', type: 'timestamp' });
      await insertCustomProperty(tx, 'tenant-a', { key: 'motto', type: 'string' });
      await insertCustomProperty(tx, 'tenant-b', { key: 'motto', type: 'number' });
      return [await listCustomProperties(tx, 'tenant-a'), await listCustomProperties(tx, 'tenant-b')];
    });
    expect(found).toEqual([
      [
        { key: 'motto', type: 'string' },
        { key: 'since', type: 'timestamp' },
      ],
      [{ key: 'motto', type: 'number' }],
    ]);
  });

  it('have a key that is theirs alone within the tenant', async () => {
    const store = await storeWithMember();
    const twice = store.transaction(async (tx) => {
      await insertCustomProperty(tx, 'tenant-a', { key: 'seats', type: 'number' });
      await insertCustomProperty(tx, 'tenant-a', { key: 'seats', type: 'string' });
    });
    await expect(twice).rejects.toThrow(/unique/i);
  });
});

describe('content channels', () => {
  it('are read as they were written, by id, each with its products once', async () => {
    const { store, film, sport, news } = await storeWithProducts();
    const live = channelRecord({ productIds: [film, sport] });
    const bare = channelRecord({ id: 'bare', name: 'Bare', description: '', productIds: [] });
    const foreign = channelRecord({ tenantId: 'tenant-b', name: 'Theirs', productIds: [news] });
    const found = await store.transaction(async (tx) => {
      await saveContentChannel(tx, { ...live, productIds: [sport, film, sport] });
      await saveContentChannel(tx, bare);
      await saveContentChannel(tx, foreign);
      return [await listContentChannels(tx, 'tenant-a'), await listContentChannels(tx, 'tenant-b')];
    });
    expect(found).toEqual([[bare, live], [foreign]]);
  });

  it('saved again change every field, and those of the same id elsewhere stay', async () => {
    const { store, film, sport, news } = await storeWithProducts();
    const foreign = channelRecord({ tenantId: 'tenant-b', productIds: [news] });
    const changed: ContentChannel = channelRecord({ name: 'Live', description: '', productIds: [sport] });
    const found = await store.transaction(async (tx) => {
      await saveContentChannel(tx, channelRecord({ productIds: [film] }));
      await saveContentChannel(tx, foreign);
      await saveContentChannel(tx, changed);
      return [await listContentChannels(tx, 'tenant-a'), await listContentChannels(tx, 'tenant-b')];
    });
    expect(found).toEqual([[changed], [foreign]]);
  });

  it('are deleted with what opens them, and from their own tenant alone', async () => {
    const { store, film, news } = await storeWithProducts();
    const other = channelRecord({ id: 'film', productIds: [film] });
    const foreign = channelRecord({ tenantId: 'tenant-b', productIds: [news] });
    const found = await store.transaction(async (tx) => {
      for (const one of [channelRecord({ productIds: [film] }), other, foreign]) {
        await saveContentChannel(tx, one);
      }
      return {
        deleted: [
          await deleteContentChannel(tx, 'tenant-a', 'sport-live'),
          await deleteContentChannel(tx, 'tenant-a', 'sport-live'),
          await deleteContentChannel(tx, 'tenant-b', 'film'),
        ],
        left: [
          ...(await listContentChannels(tx, 'tenant-a')),
          ...(await listContentChannels(tx, 'tenant-b')),
        ],
        links: await tx.selectFrom('channelProducts').select('productId').orderBy('productId').execute(),
      };
    });
    expect(found).toEqual({
      deleted: [true, false, false],
      left: [other, foreign],
      links: [{ productId: film }, { productId: news }],
    });
  });
});
