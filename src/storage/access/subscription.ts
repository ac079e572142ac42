// Queries of subscriptions and of their custom properties.
import type { CustomProperty, CustomPropertyValues } from '../../core/access/custom-property.ts';
import {
  isOver,
  type MemberSubscription,
  type Subscription,
  type SubscriptionWrite,
} from '../../core/access/subscription.ts';
import { tell } from '../events/event.ts';
import { insertion, lookup } from '../prepared.ts';
import {
  findRow,
  highest,
  type ListPage,
  type NewestPage,
  newest,
  rowsWith,
  updateRow,
  within,
} from '../rows.ts';
import type { Tx } from '../store.ts';
import { contentsOfPackage } from './package.ts';
import type { SubscriptionRow } from './schema.ts';
import { endSeatsOf } from './seat.ts';
import { saveSeatNumber } from './seat-group.ts';

/** Every subscription of a member, active or not, oldest first, with its package and products. */
export async function listSubscriptions(tx: Tx, memberId: string): Promise<readonly MemberSubscription[]> {
  const rows = await rowsOf.all(tx, { memberId });
  return withContents(
    tx,
    rows.toSorted((a, b) => a.id - b.id),
  );
}

const rowsOf = lookup('subscriptions', 'memberId');

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
 * longest, and the newest ones, since one of them may be the nearest miss.
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

/** Subscriptions of a tenant by their ids, oldest first. */
export async function listSubscriptionsOf(
  tx: Tx,
  tenantId: string,
  ids: readonly number[],
): Promise<readonly MemberSubscription[]> {
  if (ids.length === 0) return [];
  const rows = rowsWith(tx, 'subscriptions', { tenantId }).where('id', 'in', ids).orderBy('id');
  return withContents(tx, await rows.execute());
}

async function withContents(
  tx: Tx,
  rows: readonly SubscriptionRow[],
): Promise<readonly MemberSubscription[]> {
  const found: MemberSubscription[] = [];
  for (const row of rows) {
    const { name, seats: _, ...contents } = await contentsOfPackage(tx, row.packageId);
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

/** Some of those whose time has come or gone, where that is not written down yet. */
export async function listUnsettled(tx: Tx, now: number, most: number): Promise<readonly Subscription[]> {
  const all = tx.selectFrom('subscriptions').selectAll().limit(most);
  const come = await all.where('state', '=', 'pending').where('activatedAt', '<=', now).execute();
  const gone = await all
    .where('state', 'in', ['pending', 'active', 'cancelled'])
    .where('expiresAt', '<=', now)
    .execute();
  const each = new Map([...come, ...gone].map((row) => [row.id, row]));
  return [...each.values()].map(subscriptionOf);
}

const insertRow = insertion('subscriptions');

export async function insertSubscription(tx: Tx, subscription: Subscription): Promise<void> {
  const { subscriptionId, customPropertyValues, ...rest } = subscription;
  const values = JSON.stringify(customPropertyValues);
  await insertRow(tx, { ...rest, id: subscriptionId, customPropertyValues: values });
  // A subscription keeps the number of seats that it was ordered with.
  const { seats } = await contentsOfPackage(tx, subscription.packageId);
  if (seats !== null) await saveSeatNumber(tx, subscription.tenantId, subscriptionId, seats);
}

export async function moveSubscription(
  tx: Tx,
  { from, subscription }: Extract<SubscriptionWrite, { write: 'moveSubscription' }>,
): Promise<void> {
  const { subscriptionId, state, activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  const changes = { state, activatedAt, expiresAt, cancelledAt, endedAt };
  await updateRow(tx, 'subscriptions', { id: subscriptionId, state: from }, changes);
  if (isOver(state)) await endSeatsOf(tx, subscription, subscription.endedAt ?? expiresAt ?? 0);
}

/** Sets what the tenant notes of a subscription. */
export async function updateCustomPropertyValues(
  tx: Tx,
  subscription: Subscription,
  values: CustomPropertyValues,
): Promise<void> {
  const { subscriptionId: id, tenantId, customPropertyValues } = subscription;
  const [before, after] = [customPropertyValues, values].map((of) => JSON.stringify(of));
  if (after === undefined || after === before) return;
  await updateRow(tx, 'subscriptions', { id, tenantId }, { customPropertyValues: after });
  await tell(tx, { write: 'updateCustomPropertyValues', subscription });
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
