// Queries of packages and of their products.
import { type Network, soundNetwork } from '../../core/access/network.ts';
import type { Package, PackageFacts, Product } from '../../core/access/package.ts';
import type { Tax } from '../../core/access/tax.ts';
import { forgetRemembered, prepared, query, remembered } from '../prepared.ts';
import {
  deleteRows,
  findRow,
  fromFlag,
  fromList,
  type ListPage,
  nextId,
  rowsWith,
  toFlag,
  updateRows,
  within,
} from '../rows.ts';
import type { Tx } from '../store.ts';
import type { OfferColumns, PackageRow, TaxColumns } from './schema.ts';

/** Every package of a tenant with its products, in the order in which they were made. */
export async function listPackages(
  tx: Tx,
  tenantId: string,
  page: ListPage<number> = {},
): Promise<readonly Package[]> {
  const rows = await within(rowsWith(tx, 'packages', { tenantId }), 'id', page).execute();
  const products = await listPackageProducts(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => packageOf(row, products));
}

/** A package of a tenant, or null. */
export async function findPackage(tx: Tx, tenantId: string, id: number): Promise<Package | null> {
  const row = await findRow(tx, 'packages', { id, tenantId });
  return row === null ? null : packageOf(row, await listPackageProducts(tx, [id]));
}

/** The products of packages, each with its package. */
export async function listPackageProducts(
  tx: Tx,
  packageIds: readonly number[],
): Promise<readonly (Product & { readonly packageId: number })[]> {
  if (packageIds.length === 0) return [];
  return tx
    .selectFrom('packageProducts')
    .innerJoin('products', 'products.id', 'packageProducts.productId')
    .select(['packageId', 'products.id', 'products.name'])
    .where('packageId', 'in', packageIds)
    .orderBy('products.id')
    .execute();
}

/** The packages of a tenant that open for networks, the oldest first. */
export async function listPackagesWithNetworks(
  tx: Tx,
  tenantId: string,
): Promise<readonly { readonly id: number; readonly networks: readonly Network[] }[]> {
  const found = await remembered(tx, `networks ${tenantId}`, async () =>
    (await withNetworks.all(tx, { tenantId })).map(({ id, networks }) => ({
      id,
      networks: fromList(networks).map(soundNetwork),
    })),
  );
  return found ?? [];
}

const withNetworks = prepared(({ tenantId }: { tenantId: string }) =>
  query
    .selectFrom('packages')
    .select(['id', 'networks'])
    .where('tenantId', '=', tenantId)
    .where('networks', '<>', '[]')
    .orderBy('id'),
);

/** Whether a tenant offers a package that is paid by one of these methods. */
export async function hasOffered(tx: Tx, tenantId: string, payments: readonly string[]): Promise<boolean> {
  const rows = rowsWith(tx, 'packages', { tenantId, offered: 1 }).where('payment', 'in', payments);
  return (await rows.limit(1).execute()).length > 0;
}

/**
 * What a subscription says of its package: the name, the products that it opens, and how it is renewed.
 *
 * @throws Error if there is no such package: a subscription's package is never deleted
 */
export async function contentsOfPackage(
  tx: Tx,
  id: number,
): Promise<Pick<Package, 'name' | 'products' | 'price' | 'period' | 'renews' | 'seats'>> {
  const contents = await remembered(tx, `package ${id}`, async () => {
    const row = await nameOf.first(tx, { id });
    if (row === null) return null;
    const { name, renews, seats, ...offer } = row;
    const products = await productsOf.all(tx, { id });
    return { name, ...offerOf(offer), renews: fromFlag(renews), seats, products };
  });
  if (contents === null) throw new Error('a subscription is of a package that is not there');
  return contents;
}

const nameOf = prepared(({ id }: { id: number }) =>
  query
    .selectFrom('packages')
    .select(['name', 'renews', 'seats', 'price', 'currency', 'periodUnit', 'periodCount'])
    .where('id', '=', id),
);

const productsOf = prepared(({ id }: { id: number }) =>
  query
    .selectFrom('packageProducts')
    .innerJoin('products', 'products.id', 'packageProducts.productId')
    .select(['products.id', 'products.name'])
    .where('packageId', '=', id)
    .orderBy('products.id'),
);

function packageOf(
  row: Omit<PackageRow, 'id'> & { readonly id: number },
  products: readonly (Product & { readonly packageId: number })[],
): Package {
  const { price, currency, periodUnit, periodCount, taxName, taxRate, ...rest } = row;
  return {
    ...rest,
    products: products.filter(({ packageId }) => packageId === row.id).map(({ id, name }) => ({ id, name })),
    ...offerOf({ price, currency, periodUnit, periodCount }),
    ...taxOf({ taxName, taxRate }),
    renews: fromFlag(row.renews),
    needsAddress: fromFlag(row.needsAddress),
    offered: fromFlag(row.offered),
    networks: fromList(row.networks),
  };
}

/** A price and a period as columns, of packages and of checkouts. */
export function offerColumns({ price, period }: Pick<Package, 'price' | 'period'>): OfferColumns {
  const { amount, currency } = price;
  return { price: amount, currency, periodUnit: period.unit, periodCount: period.count };
}

export function offerOf(columns: OfferColumns): Pick<Package, 'price' | 'period'> {
  const { price, currency, periodUnit, periodCount } = columns;
  return { price: { amount: price, currency }, period: { unit: periodUnit, count: periodCount } };
}

/** A tax as columns, of packages and of invoices. */
export function taxColumns({ taxName, taxPercent }: Tax): TaxColumns {
  return { taxName, taxRate: taxPercent === null ? null : Math.round(taxPercent * 100) };
}

export function taxOf({ taxName, taxRate }: TaxColumns): Tax {
  return { taxName, taxPercent: taxRate === null ? null : taxRate / 100 };
}

/** Stores a package with products that the tenant has, and returns its packageId. */
export async function insertPackage(
  tx: Tx,
  tenantId: string,
  facts: PackageFacts,
  productIds: readonly number[],
): Promise<number> {
  await forgetRemembered(tx);
  const { id } = await tx
    .insertInto('packages')
    .values({ id: nextId('packages'), tenantId, ...columnsOf(facts) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await linkProducts(tx, id, productIds);
  return id;
}

/** Changes a package and what it opens. Returns whether the tenant has it. */
export async function updatePackage(
  tx: Tx,
  tenantId: string,
  id: number,
  facts: PackageFacts,
  productIds: readonly number[],
): Promise<boolean> {
  await forgetRemembered(tx);
  if ((await updateRows(tx, 'packages', { id, tenantId }, columnsOf(facts))) !== 1) return false;
  await deleteRows(tx, 'packageProducts', { packageId: id });
  await linkProducts(tx, id, productIds);
  return true;
}

async function linkProducts(tx: Tx, packageId: number, productIds: readonly number[]): Promise<void> {
  for (const productId of new Set(productIds)) {
    await tx.insertInto('packageProducts').values({ packageId, productId }).execute();
  }
}

function columnsOf({ name, description, payment, ...facts }: PackageFacts) {
  return {
    name,
    description,
    ...offerColumns(facts),
    ...taxColumns(facts),
    payment,
    renews: toFlag(facts.renews),
    needsAddress: toFlag(facts.needsAddress),
    seats: facts.seats,
    offered: toFlag(facts.offered),
    networks: JSON.stringify(facts.networks),
  };
}

export async function listProducts(
  tx: Tx,
  tenantId: string,
  page: ListPage<number> = {},
): Promise<readonly Product[]> {
  const all = tx.selectFrom('products').select(['id', 'name']).where('tenantId', '=', tenantId);
  return within(all, 'id', page).execute();
}

/** Stores a product, and returns its id. */
export async function insertProduct(tx: Tx, tenantId: string, name: string): Promise<number> {
  const { id } = await tx
    .insertInto('products')
    .values({ id: nextId('products'), tenantId, name })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns whether the tenant has the product. */
export async function updateProduct(tx: Tx, tenantId: string, { id, name }: Product): Promise<boolean> {
  await forgetRemembered(tx);
  return (await updateRows(tx, 'products', { id, tenantId }, { name })) === 1;
}
