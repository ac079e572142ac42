// How an operation answers a subscription.
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { type MemberSubscription, standingOf } from '../../../core/access/subscription.ts';
import {
  list,
  named,
  oneOf,
  resource,
  type Schema,
  text,
  time,
  timeOrNull,
  wholeNumber,
} from '../../../json-schema.ts';
import { memberIdField } from '../members/member-answer.ts';
import { packageIdField } from './packages.ts';
import { productSchema } from './products.ts';

export const subscriptionIdField = named('SubscriptionId', wholeNumber('The subscriptionId', 1));

export const valuesField: Schema = {
  type: 'object',
  description: 'The values of the tenant’s own properties, by key',
  additionalProperties: { type: ['number', 'string'] },
  examples: [{}],
};

export const subscriptionSchema = resource('MemberSubscription', 'A subscription', {
  subscriptionId: subscriptionIdField,
  memberId: memberIdField,
  packageId: packageIdField,
  packageName: text('The name of the package', 'Everything'),
  products: list('What the package opens', productSchema),
  state: oneOf('SubscriptionState', 'What it is now', ['active', 'pending', 'cancelled', 'expired', 'ended']),
  createdAt: time('When it was made'),
  activatedAt: timeOrNull('When it begins to give access; null while it waits for a payment'),
  expiresAt: timeOrNull('When it stops to give access, unless it is renewed'),
  cancelledAt: timeOrNull('When its renewal was cancelled', null),
  endedAt: timeOrNull('When it was ended before its time', null),
  customPropertyValues: valuesField,
});

export function subscriptionAnswer(subscription: MemberSubscription, now: number) {
  const { activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  return {
    subscriptionId: subscription.subscriptionId,
    memberId: subscription.memberId,
    packageId: subscription.packageId,
    packageName: subscription.packageName,
    products: subscription.products,
    state: standingOf(subscription, now),
    createdAt: isoTime(subscription.createdAt),
    activatedAt: isoTimeOrNull(activatedAt),
    expiresAt: isoTimeOrNull(expiresAt),
    cancelledAt: isoTimeOrNull(cancelledAt),
    endedAt: isoTimeOrNull(endedAt),
    customPropertyValues: subscription.customPropertyValues,
  };
}
