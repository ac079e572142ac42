// Adds and changes products and packages.
import { canonicalNetworks } from '../../core/access/network.ts';
import { type PackageFacts, type Product, packageProblems, textProblems } from '../../core/access/package.ts';
import { type Problem, problem } from '../../core/problem.ts';
import {
  insertPackage,
  insertProduct,
  listPackages,
  listProducts,
  updatePackage,
  updateProduct,
} from '../../storage/access/package.ts';
import type { Tx } from '../../storage/store.ts';
import { conflict, refuseIfAny } from '../refusal.ts';

/** Adds a product to a tenant. @returns its id @throws OperationRefused */
export async function addProduct(tx: Tx, tenantId: string, name: string): Promise<number> {
  refuseIfAny(productProblems(name));
  demandFreeName('product', name, await listProducts(tx, tenantId));
  return insertProduct(tx, tenantId, name.trim());
}

/** Gives a product another name. @returns whether the tenant has it @throws OperationRefused */
export async function renameProduct(tx: Tx, tenantId: string, product: Product): Promise<boolean> {
  refuseIfAny(productProblems(product.name));
  demandFreeName('product', product.name, await listProducts(tx, tenantId), product.id);
  return updateProduct(tx, tenantId, { ...product, name: product.name.trim() });
}

/**
 * Adds a package to a tenant, with products that the tenant has.
 *
 * @param development whether it is a development tenant
 * @returns its packageId
 * @throws OperationRefused
 */
export async function addPackage(
  tx: Tx,
  tenantId: string,
  facts: PackageFacts,
  productIds: readonly number[],
  development = false,
): Promise<number> {
  await demandPackage(tx, tenantId, facts, productIds, { development });
  return insertPackage(tx, tenantId, kept(facts), productIds);
}

/**
 * Changes a package. Its subscribers have the new products at once; what they pay and how long their period
 * runs stays as it was ordered.
 *
 * @param development whether it is of a development tenant
 * @returns whether the tenant has it
 * @throws OperationRefused
 */
export async function changePackage(
  tx: Tx,
  tenantId: string,
  id: number,
  facts: PackageFacts,
  productIds: readonly number[],
  development = false,
): Promise<boolean> {
  await demandPackage(tx, tenantId, facts, productIds, { development, own: id });
  return updatePackage(tx, tenantId, id, kept(facts), productIds);
}

const kept = (facts: PackageFacts): PackageFacts => ({
  ...facts,
  networks: canonicalNetworks(facts.networks),
});

async function demandPackage(
  tx: Tx,
  tenantId: string,
  facts: PackageFacts,
  productIds: readonly number[],
  { development, own }: { readonly development: boolean; readonly own?: number },
): Promise<void> {
  refuseIfAny([...packageProblems(facts, development), ...(await unknownProducts(tx, tenantId, productIds))]);
  demandFreeName('package', facts.name, await listPackages(tx, tenantId), own);
}

/**
 * Members and tenant files know products and packages by their names: each name stands once in a tenant. One that
 * stands twice from before may stay as it is.
 *
 * @param own the id of what is changed
 * @throws OperationRefused
 */
function demandFreeName(
  what: 'package' | 'product',
  name: string,
  all: readonly { readonly id: number; readonly name: string }[],
  own?: number,
): void {
  const written = (text: string) => text.trim().normalize();
  const taken = all.filter((one) => written(one.name) === written(name));
  if (taken.length === 0 || taken.some(({ id }) => id === own)) return;
  throw conflict('name', 'name_taken', { what });
}

/** What is wrong with a list of products: each that the tenant does not have. */
export async function unknownProducts(
  tx: Tx,
  tenantId: string,
  productIds: readonly number[],
): Promise<readonly Problem[]> {
  const known = new Set((await listProducts(tx, tenantId)).map(({ id }) => id));
  return [...new Set(productIds)]
    .filter((id) => !known.has(id))
    .map((id) => problem('productIds', 'no_such_product', { id }));
}

/** What is wrong with the name of a product. */
export function productProblems(name: string): readonly Problem[] {
  return [...(name.trim() === '' ? [problem('name', 'missing')] : []), ...textProblems({ name })];
}
