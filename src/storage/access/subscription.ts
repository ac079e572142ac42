// Queries of subscriptions and of their custom properties.
import type { CustomProperty, CustomPropertyValues } from '../../core/access/custom-property.ts';
import type { MemberSubscription, Subscription, SubscriptionWrite } from '../../core/access/subscription.ts';
import { prepared, query, unplanned } from '../prepared.ts';
import {
  findRow,
  highest,
  type ListPage,
  type NewestPage,
  newest,
  rowsWith,
  updateRow,
  updateRows,
  within,
} from '../rows.ts';
import type { Tx } from '../store.ts';
import { contentsOfPackage } from './package.ts';
import type { SubscriptionRow } from './schema.ts';

/** Every subscription of a member, active or not, oldest first, with its package and products. */
export async function listSubscriptions(tx: Tx, memberId: string): Promise<readonly MemberSubscription[]> {
  return withContents(tx, await rowsOf.all(tx, { memberId }));
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
  const rows = within(rowsWith(tx, 'subscriptions', { memberId }), 'id', page);
  return withContents(tx, await rows.execute());
}

/** A page of the subscriptions of a member, the newest first. */
export async function listNewestSubscriptions(
  tx: Tx,
  memberId: string,
  page: NewestPage<number>,
): Promise<readonly MemberSubscription[]> {
  const rows = newest(rowsWith(tx, 'subscriptions', { memberId }), 'id', page);
  return withContents(tx, await rows.execute());
}

/**
 * The subscriptions that say what a member has access to, oldest first: of those that may give it now the ones that run
 * longest, and the newest ones, of which one may be the nearest miss.
 */
export async function listSubscriptionsToLookAt(
  tx: Tx,
  memberId: string,
  now: number,
  most: number,
): Promise<readonly MemberSubscription[]> {
  const own = rowsWith(tx, 'subscriptions', { memberId });
  const running = own.where('expiresAt', '>', now).where('endedAt', 'is', null);
  const longest = await running.orderBy('expiresAt', 'desc').orderBy('id').limit(most).execute();
  const newestOnes = await newest(own, 'id', { limit: Math.ceil(most / 5) }).execute();
  const each = new Map([...longest, ...newestOnes].map((row) => [row.id, row]));
  return withContents(
    tx,
    [...each.values()].toSorted((a, b) => a.id - b.id),
  );
}

async function withContents(
  tx: Tx,
  rows: readonly SubscriptionRow[],
): Promise<readonly MemberSubscription[]> {
  const found: MemberSubscription[] = [];
  for (const row of rows) {
    const { name, ...contents } = await contentsOfPackage(tx, row.packageId);
    found.push({ ...subscriptionOf(row), packageName: name, ...contents });
  }
  return found;
}

/** A subscription of a tenant, or null. */
export async function findSubscription(tx: Tx, tenantId: string, id: number): Promise<Subscription | null> {
  const row = await findRow(tx, 'subscriptions', { id, tenantId });
  return row === null ? null : subscriptionOf(row);
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
  return ((await highest(tx, 'subscriptions', 'id', {})) ?? 0) + 1;
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
  const changes = { state, activatedAt, expiresAt, cancelledAt, endedAt };
  await updateRow(tx, 'subscriptions', { id: subscriptionId, state: from }, changes);
}

/** Returns whether the tenant has the subscription. */
export async function updateCustomPropertyValues(
  tx: Tx,
  tenantId: string,
  id: number,
  values: CustomPropertyValues,
): Promise<boolean> {
  const changes = { customPropertyValues: JSON.stringify(values) };
  return (await updateRows(tx, 'subscriptions', { id, tenantId }, changes)) === 1;
}

export async function listCustomProperties(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly CustomProperty[]> {
  const all = tx.selectFrom('customProperties').select(['key', 'type']).where('tenantId', '=', tenantId);
  return within(all, 'key', page).execute();
}

export async function insertCustomProperty(
  tx: Tx,
  tenantId: string,
  { key, type }: CustomProperty,
): Promise<void> {
  await tx.insertInto('customProperties').values({ tenantId, key, type }).execute();
}
