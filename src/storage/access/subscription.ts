// Queries of subscriptions.
import type { CustomPropertyValues } from '../../core/access/custom-property.ts';
import type { MemberSubscription, Subscription, SubscriptionWrite } from '../../core/access/subscription.ts';
import { type ListPage, within } from '../list-page.ts';
import { prepared, query, unplanned } from '../prepared.ts';
import { changedOne } from '../rows.ts';
import type { SubscriptionRow } from '../schema.ts';
import type { Tx } from '../store.ts';
import { contentsOfPackage } from './package.ts';

/** Every subscription of a member, active or not, oldest first, with its package and products. */
export async function listSubscriptions(tx: Tx, memberId: string): Promise<readonly MemberSubscription[]> {
  return rowsOf.all(tx, { memberId }).map((row) => withContents(tx, row));
}

const rowsOf = prepared(({ memberId }: Pick<Subscription, 'memberId'>) =>
  query
    .selectFrom('subscriptions')
    .selectAll()
    .where('memberId', '=', unplanned(memberId, 'text'))
    .orderBy('id'),
);

/** A page of the subscriptions of a member, the oldest first. */
export async function listSomeSubscriptions(
  tx: Tx,
  memberId: string,
  page: ListPage<number>,
): Promise<readonly MemberSubscription[]> {
  const all = tx.selectFrom('subscriptions').selectAll().where('memberId', '=', memberId).orderBy('id');
  return (await within(all, 'id', page).execute()).map((row) => withContents(tx, row));
}

/** A page of the subscriptions of a member, the newest first. */
export async function listNewestSubscriptions(
  tx: Tx,
  memberId: string,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<readonly MemberSubscription[]> {
  let query = tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('memberId', '=', memberId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.execute()).map((row) => withContents(tx, row));
}

function withContents(tx: Tx, row: SubscriptionRow): MemberSubscription {
  const { name, products } = contentsOfPackage(tx, row.packageId);
  return { ...subscriptionOf(row), packageName: name, products };
}

/** A subscription of a tenant, or null. */
export async function findSubscription(tx: Tx, tenantId: string, id: number): Promise<Subscription | null> {
  const row = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row === undefined ? null : subscriptionOf(row);
}

function subscriptionOf({ id, customPropertyValues, ...row }: SubscriptionRow): Subscription {
  return {
    ...row,
    subscriptionId: id,
    customPropertyValues: JSON.parse(customPropertyValues) as CustomPropertyValues,
  };
}

/** The id of the next subscription. There is one writer, so it is still free within this transaction. */
export async function nextSubscriptionId(tx: Tx): Promise<number> {
  const { last } = await tx
    .selectFrom('subscriptions')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

export async function insertSubscription(tx: Tx, subscription: Subscription): Promise<void> {
  const { subscriptionId, customPropertyValues, ...rest } = subscription;
  await tx
    .insertInto('subscriptions')
    .values({ ...rest, id: subscriptionId, customPropertyValues: JSON.stringify(customPropertyValues) })
    .execute();
}

export async function moveSubscription(
  tx: Tx,
  { from, subscription }: Extract<SubscriptionWrite, { write: 'moveSubscription' }>,
): Promise<void> {
  const { subscriptionId, state, activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  const result = await tx
    .updateTable('subscriptions')
    .set({ state, activatedAt, expiresAt, cancelledAt, endedAt })
    .where('id', '=', subscriptionId)
    .where('state', '=', from)
    .executeTakeFirst();
  changedOne(result, 'subscription');
}

/** Returns whether the tenant has the subscription. */
export async function updateCustomPropertyValues(
  tx: Tx,
  tenantId: string,
  id: number,
  values: CustomPropertyValues,
): Promise<boolean> {
  const result = await tx
    .updateTable('subscriptions')
    .set({ customPropertyValues: JSON.stringify(values) })
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
