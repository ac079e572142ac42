import type { CustomPropertyValue, Subscription } from '../../core/members/subscription.ts';
import type { Tx } from '../store.ts';

/** Every subscription of a member, active or not, oldest first, with its package and products. */
export async function listSubscriptions(tx: Tx, memberId: string): Promise<readonly Subscription[]> {
  const rows = await tx
    .selectFrom('subscriptions')
    .innerJoin('packages', 'packages.id', 'subscriptions.packageId')
    .selectAll('subscriptions')
    .select('packages.name as packageName')
    .where('memberId', '=', memberId)
    .orderBy('subscriptions.id')
    .execute();
  if (rows.length === 0) return [];
  const products = await tx
    .selectFrom('packageProducts')
    .innerJoin('products', 'products.id', 'packageProducts.productId')
    .select(['packageId', 'products.id', 'products.name'])
    .where(
      'packageId',
      'in',
      rows.map((row) => row.packageId),
    )
    .orderBy('products.id')
    .execute();
  return rows.map(
    ({ id, packageId, packageName, createdAt, activatedAt, expiresAt, customPropertyValues }) => ({
      subscriptionId: id,
      packageId,
      packageName,
      products: products
        .filter((product) => product.packageId === packageId)
        .map((product) => ({ id: product.id, name: product.name })),
      createdAt,
      activatedAt,
      expiresAt,
      customPropertyValues: JSON.parse(customPropertyValues) as Record<string, CustomPropertyValue>,
    }),
  );
}

/** Stores a package with products of its own, and returns its packageId. */
export async function insertPackage(
  tx: Tx,
  tenantId: string,
  { name, products }: { readonly name: string; readonly products: readonly string[] },
): Promise<number> {
  const { id } = await tx
    .insertInto('packages')
    .values({ tenantId, name })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const product of products) {
    const made = await tx
      .insertInto('products')
      .values({ tenantId, name: product })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.insertInto('packageProducts').values({ packageId: id, productId: made.id }).execute();
  }
  return id;
}

export async function insertSubscription(
  tx: Tx,
  tenantId: string,
  memberId: string,
  subscription: Pick<
    Subscription,
    'packageId' | 'createdAt' | 'activatedAt' | 'expiresAt' | 'customPropertyValues'
  >,
): Promise<void> {
  const { packageId, createdAt, activatedAt, expiresAt, customPropertyValues } = subscription;
  await tx
    .insertInto('subscriptions')
    .values({
      tenantId,
      memberId,
      packageId,
      createdAt,
      activatedAt,
      expiresAt,
      customPropertyValues: JSON.stringify(customPropertyValues),
    })
    .execute();
}
