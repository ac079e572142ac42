import { describe, expect, it } from 'vitest';
import {
  addPackage,
  addProduct,
  changePackage,
  renameProduct,
} from '../../../src/operations/access/package.ts';
import { findPackage, listPackages, listProducts } from '../../../src/storage/access/package.ts';
import type { Store } from '../../../src/storage/store.ts';
import { problemsOf } from '../../support/expected/refusals.ts';
import { packageFacts, packageRecord } from '../../support/records/access-records.ts';
import { allRows } from '../../support/records/rows.ts';
import { storeWithMember } from '../../support/records/store.ts';

const facts = packageFacts();

/** Wrong in two ways of its own, beside the products it is given. */
const wrong = { ...facts, name: ' ', price: { amount: -1, currency: 'NOK' } };
const problemsOfWrong = ['name is missing', 'price.amount must be a whole number of the smallest unit'];

/** A store with the product Film of tenant a, and News of tenant b. */
async function storeWithProducts() {
  const store = await storeWithMember();
  const [film, news] = await store.transaction(
    async (tx) =>
      [await addProduct(tx, 'tenant-a', 'Film'), await addProduct(tx, 'tenant-b', 'News')] as const,
  );
  return { store, film, news };
}

const productsOf = (store: Store, tenantId: string) =>
  store.transaction(async (tx) => (await listProducts(tx, tenantId)).map(({ name }) => name));

describe('a product', () => {
  it('is added with the name that it is given, without spaces around it', async () => {
    const { store } = await storeWithProducts();
    await store.transaction((tx) => addProduct(tx, 'tenant-a', '  Sport, live '));
    expect(await productsOf(store, 'tenant-a')).toEqual(['Film', 'Sport, live']);
  });

  it('is neither added nor renamed without a name, or with one that is too long or not to be shown', async () => {
    const { store, film } = await storeWithProducts();
    for (const [name, ...problems] of [
      ['', 'name is missing'],
      [' ', 'name is missing'],
      ['x'.repeat(101), 'name has more than 100 characters'],
      [
        `${'x'.repeat(100)}\0`,
        'name has more than 100 characters',
        'name has a character that cannot be seen',
      ],
    ] as const) {
      const product = { id: film, name };
      expect(await problemsOf(store, (tx) => addProduct(tx, 'tenant-a', name))).toEqual(problems);
      expect(await problemsOf(store, (tx) => renameProduct(tx, 'tenant-a', product))).toEqual(problems);
    }
  });

  it('is renamed by its own tenant alone', async () => {
    const { store, film, news } = await storeWithProducts();
    const renamed = await store.transaction(async (tx) => [
      await renameProduct(tx, 'tenant-a', { id: film, name: ' Films ' }),
      await renameProduct(tx, 'tenant-a', { id: news, name: 'Ours' }),
      await renameProduct(tx, 'tenant-a', { id: 999, name: 'Nothing' }),
    ]);
    expect(renamed).toEqual([true, false, false]);
    expect([await productsOf(store, 'tenant-a'), await productsOf(store, 'tenant-b')]).toEqual([
      ['Films'],
      ['News'],
    ]);
  });
});

describe('a package', () => {
  it('is added with its products', async () => {
    const { store, film } = await storeWithProducts();
    const id = await store.transaction((tx) => addPackage(tx, 'tenant-a', facts, [film]));
    expect(await store.transaction((tx) => findPackage(tx, 'tenant-a', id))).toEqual(
      packageRecord({ id, products: [{ id: film, name: 'Film' }] }),
    );
  });

  it('is changed in every field, and in what it opens', async () => {
    const { store, film } = await storeWithProducts();
    const id = await store.transaction((tx) => addPackage(tx, 'tenant-a', facts, [film]));
    const changes = { name: 'Silver', offered: false, period: { unit: 'year', count: 1 } } as const;
    const changed = await store.transaction((tx) =>
      changePackage(tx, 'tenant-a', id, { ...facts, ...changes }, []),
    );
    expect(changed).toBe(true);
    expect(await store.transaction((tx) => listPackages(tx, 'tenant-a'))).toEqual([
      packageRecord({ id, products: [], ...changes }),
    ]);
  });

  it('is neither added nor changed for all its problems at once, with products unknown or of another tenant', async () => {
    const { store, film, news } = await storeWithProducts();
    const id = await store.transaction((tx) => addPackage(tx, 'tenant-a', facts, [film]));
    const productIds = [film, news, 999, 999];
    const problems = [...problemsOfWrong, `there is no product ${news}`, 'there is no product 999'];
    expect(await problemsOf(store, (tx) => addPackage(tx, 'tenant-a', wrong, productIds))).toEqual(problems);
    expect(await problemsOf(store, (tx) => changePackage(tx, 'tenant-a', id, wrong, productIds))).toEqual(
      problems,
    );
  });

  it('of another tenant is unknown: nothing is changed, and that is said', async () => {
    const { store, film } = await storeWithProducts();
    const id = await store.transaction((tx) => addPackage(tx, 'tenant-a', facts, [film]));
    const before = await allRows({ store });
    const changed = await store.transaction(async (tx) => [
      await changePackage(tx, 'tenant-b', id, { ...facts, name: 'Ours' }, []),
      await changePackage(tx, 'tenant-a', 999, { ...facts, name: 'Nothing' }, [film]),
    ]);
    expect(changed).toEqual([false, false]);
    expect(await allRows({ store })).toEqual(before);
  });
});
