import { type PackageFacts, type Product, packageProblems, textProblems } from '../../core/access/package.ts';
import { insertPackage, updatePackage } from '../../storage/access/package.ts';
import { insertProduct, listProducts, updateProduct } from '../../storage/access/product.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseIfAny } from '../invalid-facts.ts';

/**
 * Adds a product to a tenant.
 *
 * @returns its id
 * @throws InvalidFacts
 */
export async function addProduct(tx: Tx, tenantId: string, name: string): Promise<number> {
  refuseIfAny(productProblems(name));
  return insertProduct(tx, tenantId, name.trim());
}

/**
 * Gives a product another name.
 *
 * @returns whether the tenant has it
 * @throws InvalidFacts
 */
export async function renameProduct(tx: Tx, tenantId: string, product: Product): Promise<boolean> {
  refuseIfAny(productProblems(product.name));
  return updateProduct(tx, tenantId, { ...product, name: product.name.trim() });
}

/**
 * Adds a package to a tenant, with products that the tenant has.
 *
 * @returns its packageId
 * @throws InvalidFacts with every problem at once
 */
export async function addPackage(
  tx: Tx,
  tenantId: string,
  facts: PackageFacts,
  productIds: readonly number[],
): Promise<number> {
  refuseIfAny([...packageProblems(facts), ...(await unknownProducts(tx, tenantId, productIds))]);
  return insertPackage(tx, tenantId, facts, productIds);
}

/**
 * Changes a package. Its subscribers have the new products at once; what they pay and how long their period
 * runs stays as it was ordered.
 *
 * @returns whether the tenant has it
 * @throws InvalidFacts with every problem at once
 */
export async function changePackage(
  tx: Tx,
  tenantId: string,
  id: number,
  facts: PackageFacts,
  productIds: readonly number[],
): Promise<boolean> {
  refuseIfAny([...packageProblems(facts), ...(await unknownProducts(tx, tenantId, productIds))]);
  return updatePackage(tx, tenantId, id, facts, productIds);
}

/** What is wrong with a list of products: each that the tenant does not have. */
export async function unknownProducts(
  tx: Tx,
  tenantId: string,
  productIds: readonly number[],
): Promise<readonly string[]> {
  const known = new Set((await listProducts(tx, tenantId)).map(({ id }) => id));
  return [...new Set(productIds)].filter((id) => !known.has(id)).map((id) => `there is no product ${id}`);
}

/** What is wrong with the name of a product. */
export function productProblems(name: string): readonly string[] {
  return [...(name.trim() === '' ? ['a product needs a name'] : []), ...textProblems({ name })];
}
