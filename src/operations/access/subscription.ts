// Gives and changes the subscriptions of members, and defines their custom properties.
import {
  type CustomProperty,
  type CustomPropertyValues,
  isPropertyKey,
  propertyProblems,
} from '../../core/access/custom-property.ts';
import type { Period } from '../../core/access/package.ts';
import {
  activateSubscription,
  beginSubscription,
  cancelSubscription,
  endSubscription,
  renewSubscription,
  resumeSubscription,
  type Subscription,
  settleSubscription,
} from '../../core/access/subscription.ts';
import { sweepStep } from '../../core/operators/limits.ts';
import { problem, within } from '../../core/problem.ts';
import { findPackage } from '../../storage/access/package.ts';
import {
  findSubscription,
  insertCustomProperty,
  listCustomProperties,
  listUnsettled,
  nextSubscriptionId,
  updateCustomPropertyValues,
} from '../../storage/access/subscription.ts';
import { apply } from '../../storage/apply.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { indexed, type Sweep } from '../../storage/sweep/sweep.ts';
import { refuseIfAny } from '../refusal.ts';

/** A subscription that an operator gives. Times are ms since the epoch; both null while it waits for a payment. */
export interface NewSubscription
  extends Pick<
    Subscription,
    'memberId' | 'packageId' | 'activatedAt' | 'expiresAt' | 'customPropertyValues'
  > {
  readonly createdAt: number;
}

/**
 * Gives a member a subscription.
 *
 * @returns its subscriptionId
 * @throws OperationRefused with every problem at once
 */
export async function addSubscription(
  tx: Tx,
  tenantId: string,
  facts: NewSubscription,
  now: number = facts.createdAt,
): Promise<number> {
  const { memberId, packageId, activatedAt, expiresAt, customPropertyValues } = facts;
  const defined = await listCustomProperties(tx, tenantId);
  refuseIfAny([
    ...((await findMember(tx, tenantId, memberId)) === null
      ? [problem('memberId', 'not_found', { what: 'member' })]
      : []),
    ...((await findPackage(tx, tenantId, packageId)) === null
      ? [problem('packageId', 'no_such_package', { id: packageId })]
      : []),
    ...(areTimes(facts) ? [] : [problem([], 'times_out_of_range')]),
    ...((activatedAt === null) === (expiresAt === null)
      ? []
      : [problem('expiresAt', 'not_together', { other: 'activatedAt' })]),
    ...(activatedAt !== null && expiresAt !== null && activatedAt >= expiresAt
      ? [problem('expiresAt', 'ends_before_it_begins')]
      : []),
    ...within(['customPropertyValues'], propertyProblems(customPropertyValues, defined)),
  ]);
  const subscriptionId = await nextSubscriptionId(tx);
  const subscription = beginSubscription({ ...facts, tenantId, subscriptionId }, facts.createdAt, now);
  await apply(tx, [{ write: 'insertSubscription', subscription }]);
  return subscriptionId;
}

/** Whether every time can be written in ISO 8601 with a year of four digits, as profiles do. */
function areTimes({ createdAt, activatedAt, expiresAt }: NewSubscription): boolean {
  return [createdAt, activatedAt ?? 0, expiresAt ?? 0].every(
    (time) => Number.isSafeInteger(time) && time >= 0 && time < Date.UTC(10_000, 0),
  );
}

/** What can be done to a subscription that exists. */
const decisions = {
  activate: activateSubscription,
  renew: renewSubscription,
  cancel: (subscription: Subscription, _period: Period, now: number) => cancelSubscription(subscription, now),
  resume: (subscription: Subscription, _period: Period, now: number) => resumeSubscription(subscription, now),
  end: (subscription: Subscription, _period: Period, now: number) => endSubscription(subscription, now),
} as const;

export type SubscriptionChange = keyof typeof decisions;

/**
 * Changes a subscription of a tenant.
 *
 * @returns whether it is as asked for now; false if its state refuses; null if the tenant has no such
 */
export async function changeSubscription(
  tx: Tx,
  tenantId: string,
  id: number,
  change: SubscriptionChange,
  now: number,
): Promise<boolean | null> {
  const subscription = await findSubscription(tx, tenantId, id);
  if (subscription === null) return null;
  const { answer, writes } = decisions[change](subscription, await periodOf(tx, subscription), now);
  await apply(tx, writes);
  return answer;
}

/**
 * Writes down which subscriptions have begun or are over by the clock, so that it is told of each, once. Whether one gives
 * access does not depend on it (decision 20).
 *
 * @param now ms
 */
export function settlingSubscriptions(now: number): Sweep {
  return indexed('subscriptions', async (tx) => {
    const unsettled = await listUnsettled(tx, now, sweepStep);
    for (const subscription of unsettled) await apply(tx, settleSubscription(subscription, now));
    return unsettled.length;
  });
}

async function periodOf(tx: Tx, { tenantId, packageId }: Subscription) {
  const found = await findPackage(tx, tenantId, packageId);
  if (found === null) throw new Error('a subscription to no package');
  return found.period;
}

/**
 * Sets the tenant's own properties of a subscription, all of them.
 *
 * @returns whether the tenant has it
 * @throws OperationRefused with every problem at once
 */
export async function setCustomPropertyValues(
  tx: Tx,
  tenantId: string,
  id: number,
  values: CustomPropertyValues,
): Promise<boolean> {
  refuseIfAny(within(['values'], propertyProblems(values, await listCustomProperties(tx, tenantId))));
  const subscription = await findSubscription(tx, tenantId, id);
  if (subscription !== null) await updateCustomPropertyValues(tx, subscription, values);
  return subscription !== null;
}

/**
 * Defines a key of customPropertyValues. Its type stays: values of it may be stored already.
 *
 * @throws OperationRefused if the key cannot be one, or is defined with another type
 */
export async function defineCustomProperty(
  tx: Tx,
  tenantId: string,
  property: CustomProperty,
): Promise<void> {
  const { key, type } = property;
  refuseIfAny(isPropertyKey(key) ? [] : [problem('key', 'not_a_property_key')]);
  const known = (await listCustomProperties(tx, tenantId)).find((one) => one.key === key);
  if (known === undefined) return insertCustomProperty(tx, tenantId, property);
  refuseIfAny(known.type === type ? [] : [problem('type', 'property_type_fixed', { key, type: known.type })]);
}
