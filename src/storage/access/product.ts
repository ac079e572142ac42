// Queries of products.
import type { Product } from '../../core/access/package.ts';
import { type ListPage, within } from '../list-page.ts';
import { forgetRemembered } from '../prepared.ts';
import type { Tx } from '../store.ts';

export async function listProducts(
  tx: Tx,
  tenantId: string,
  page: ListPage<number> = {},
): Promise<readonly Product[]> {
  const all = tx.selectFrom('products').select(['id', 'name']).where('tenantId', '=', tenantId).orderBy('id');
  return within(all, 'id', page).execute();
}

/** Stores a product, and returns its id. */
export async function insertProduct(tx: Tx, tenantId: string, name: string): Promise<number> {
  const { id } = await tx
    .insertInto('products')
    .values({ tenantId, name })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns whether the tenant has the product. */
export async function updateProduct(tx: Tx, tenantId: string, { id, name }: Product): Promise<boolean> {
  forgetRemembered(tx);
  const result = await tx
    .updateTable('products')
    .set({ name })
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
