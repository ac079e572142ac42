// The operations on subscriptions.

import { merged } from '../../../core/access/custom-property.ts';
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { endOfPeriod } from '../../../core/access/package.ts';
import { type MemberSubscription, standingOf } from '../../../core/access/subscription.ts';
import { findPackage } from '../../../storage/access/package.ts';
import { findSubscription, listSomeSubscriptions } from '../../../storage/access/subscription.ts';
import { addSubscription, changeSubscription, setCustomPropertyValues } from '../../access/subscription.ts';
import * as s from '../../json-schema.ts';
import { conflict, unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import { memberField, memberFor, memberIdField } from '../members/member.ts';
import type { Operation, OperationContext } from '../operation.ts';
import type { Thing } from '../portal-face.ts';
import { packageIdField, productSchema } from './packages.ts';

export const subscriptionIdField = s.named('SubscriptionId', s.wholeNumber('The subscriptionId', 1));

export const valuesField: s.Schema<MemberSubscription['customPropertyValues']> = {
  type: 'object',
  description: 'The values of the tenant’s own properties, by key',
  additionalProperties: { type: ['number', 'string'] },
  examples: [{}],
};

export const subscriptionSchema = s.resource('MemberSubscription', 'A subscription', {
  subscriptionId: subscriptionIdField,
  memberId: memberIdField,
  packageId: packageIdField,
  packageName: s.text('The name of the package', 'Everything'),
  products: s.list('What the package opens', productSchema),
  state: s.oneOf('SubscriptionState', 'What it is now', [
    'active',
    'pending',
    'cancelled',
    'expired',
    'ended',
  ]),
  createdAt: s.time('When it was made'),
  activatedAt: s.timeOrNull('When it begins to give access; null while it waits for a payment'),
  expiresAt: s.timeOrNull('When it stops to give access, unless it is renewed'),
  cancelledAt: s.timeOrNull('When its renewal was cancelled', null),
  endedAt: s.timeOrNull('When it was ended before its time', null),
  customPropertyValues: valuesField,
});

export function subscriptionAnswer(subscription: MemberSubscription, now: number) {
  const { createdAt, activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  return s.pick(subscriptionSchema, {
    ...subscription,
    state: standingOf(subscription, now),
    createdAt: isoTime(createdAt),
    activatedAt: isoTimeOrNull(activatedAt),
    expiresAt: isoTimeOrNull(expiresAt),
    cancelledAt: isoTimeOrNull(cancelledAt),
    endedAt: isoTimeOrNull(endedAt),
  });
}

const subscriptionPages = ['members.read', 'subscriptions.list'];

const listed = onTenant(
  keyedList({
    name: 'subscriptions.list',
    summary: 'List the subscriptions of a member, whatever became of them',
    permission: 'subscriptions:read',
    route: 'GET /members/{memberId}/subscriptions',
    title: 'Subscriptions',
    entry: { field: 'subscriptionId', key: 'subscriptionId' },
    fields: { memberId: memberField },
    of: 'subscriptions',
    page: 'A page of subscriptions, oldest first',
    schema: subscriptionSchema,
    read: async (context, page, { memberId }) => {
      const { id } = await memberFor(context, memberId);
      const found = await listSomeSubscriptions(context.tx, id, page);
      return found.map((subscription) => subscriptionAnswer(subscription, context.now));
    },
  }),
);

/** What is said of a new subscription beside its package. */
const newSubscriptionFields = {
  activatedAt: s.orNull(s.time('When it begins: now if left out'), 'that it waits for a payment'),
  expiresAt: s.time(
    'When it ends unless it is renewed: after one period of the package if left out',
    '2036-01-31T12:00:00.000Z',
  ),
  customPropertyValues: { ...valuesField, default: {} },
};

/** The subscription that a new member begins with. */
export const firstSubscriptionField = s.named('FirstSubscription', {
  ...s.someOf(
    'A subscription that begins with the member; the permission subscriptions:write is needed for it',
    {
      packageId: packageIdField,
      expiresAt: newSubscriptionFields.expiresAt,
      customPropertyValues: newSubscriptionFields.customPropertyValues,
    },
  ),
  required: ['packageId'],
  examples: [{ packageId: 1 }],
});

const created = onTenant({
  name: 'subscriptions.create',
  summary: 'Give a member a subscription',
  portal: { page: subscriptionPages, reads: 'members.read', choices: { packageId: 'packages.list' } },
  permission: 'subscriptions:write',
  route: 'POST /members/{memberId}/subscriptions',
  fields: { memberId: memberField, packageId: packageIdField },
  optional: newSubscriptionFields,
  output: subscriptionSchema,
  made: 'subscriptionId',
  run: async (context, input) => {
    await memberFor(context, input.memberId);
    return shown(context, await giveSubscription(context, input));
  },
});

/** Times in RFC 3339. */
interface NewSubscription
  extends Pick<MemberSubscription, 'memberId' | 'packageId' | 'customPropertyValues'> {
  readonly createdAt?: string;
  readonly activatedAt?: string | null;
  readonly expiresAt?: string | null;
}

/** Gives a member a subscription, which begins now and lasts a period unless something else is said. @returns its id */
export async function giveSubscription(
  { tx, tenant, now }: OnTenant<OperationContext>,
  { memberId, packageId, customPropertyValues, ...times }: NewSubscription,
): Promise<number> {
  const offer = await findPackage(tx, tenant.id, packageId);
  if (offer === null) throw unknown('package');
  const activatedAt = timeOr(times.activatedAt, now);
  const facts = {
    memberId,
    packageId,
    createdAt: timeOr(times.createdAt, now) ?? now,
    activatedAt,
    expiresAt: timeOr(times.expiresAt, activatedAt === null ? null : endOfPeriod(activatedAt, offer.period)),
    customPropertyValues,
  };
  return addSubscription(tx, tenant.id, facts, now);
}

/** A time in ms; one that is left out is as said otherwise, and null is none. */
export function timeOr(written: string | null | undefined, otherwise: number | null): number | null {
  if (written === undefined) return otherwise;
  return written === null ? null : Date.parse(written);
}

/** Whether a subscription, as it is answered, is in one of these states. */
const isIn =
  (...states: readonly string[]) =>
  ({ state }: Thing) =>
    states.includes(String(state));

const changed = onTenant({
  name: 'subscriptions.change',
  summary: 'Activate, cancel, resume, renew or end a subscription',
  portal: {
    page: subscriptionPages,
    reads: 'subscriptions.list',
    endsIf: { change: ['end'] },
    undo: { by: 'subscriptions.change', says: { change: { cancel: 'resume', resume: 'cancel' } } },
    presses: {
      field: 'change',
      values: [
        { value: 'activate', fits: isIn('pending') },
        { value: 'renew', fits: isIn('active') },
        { value: 'resume', fits: isIn('cancelled') },
        { value: 'cancel', fits: isIn('active') },
        { value: 'end', fits: isIn('pending', 'active', 'cancelled') },
      ],
    },
  },
  permission: 'subscriptions:write',
  route: 'POST /subscriptions/{subscriptionId}',
  fields: {
    subscriptionId: subscriptionIdField,
    change: s.oneOf(
      'SubscriptionChange',
      'activate: it is paid, and runs from now on; cancel: it runs to its end and is not renewed; resume: not ' +
        'cancelled after all; renew: one period more; end: at once',
      ['cancel', 'resume', 'renew', 'activate', 'end'],
    ),
  },
  output: subscriptionSchema,
  present: (context, { subscriptionId }) => shown(context, subscriptionId),
  run: async (context, { subscriptionId, change }) => {
    const { tx, tenant, now } = context;
    const done = await changeSubscription(tx, tenant.id, subscriptionId, change, now);
    if (done === null) throw unknown('subscription');
    const found = await findSubscription(tx, tenant.id, subscriptionId);
    if (!done && found !== null) {
      throw conflict('change', 'subscription_standing', { standing: standingOf(found, now) });
    }
    return shown(context, subscriptionId);
  },
});

const propertiesSet = onTenant({
  name: 'subscriptions.setProperties',
  summary: 'Set the tenant’s own properties of a subscription, all of them',
  portal: {
    titledFor: true,
    page: subscriptionPages,
    reads: 'subscriptions.list',
    readsAs: { values: 'customPropertyValues' },
  },
  permission: 'subscriptions:write',
  route: 'PUT /subscriptions/{subscriptionId}/properties',
  fields: { subscriptionId: subscriptionIdField, values: valuesField },
  output: subscriptionSchema,
  present: (context, { subscriptionId }) => shown(context, subscriptionId),
  run: async (context, { subscriptionId, values }) => {
    const { tx, tenant } = context;
    if (!(await setCustomPropertyValues(tx, tenant.id, subscriptionId, values)))
      throw unknown('subscription');
    return shown(context, subscriptionId);
  },
});

const propertiesChanged = onTenant({
  name: 'subscriptions.changeProperties',
  summary: 'Change some of the tenant’s own properties of a subscription; null takes one away',
  // Programs change a part of them; the form of people has them all.
  portal: {
    titledFor: true,
    page: subscriptionPages,
    reads: 'subscriptions.list',
    readsAs: { values: 'customPropertyValues' },
    fits: () => false,
  },
  permission: 'subscriptions:write',
  route: 'PATCH /subscriptions/{subscriptionId}/properties',
  fields: {
    subscriptionId: subscriptionIdField,
    values: {
      ...valuesField,
      description: 'The values to set, by key; null takes one away, and what is left out stays',
      additionalProperties: { type: ['number', 'string', 'null'] },
    } as s.Schema<Readonly<Record<string, number | string | null>>>,
  },
  output: subscriptionSchema,
  present: (context, { subscriptionId }) => shown(context, subscriptionId),
  run: async (context, { subscriptionId, values }) => {
    const { tx, tenant } = context;
    const known = await findSubscription(tx, tenant.id, subscriptionId);
    if (known === null) throw unknown('subscription');
    await setCustomPropertyValues(tx, tenant.id, subscriptionId, merged(known.customPropertyValues, values));
    return shown(context, subscriptionId);
  },
});

async function shown(context: OnTenant<OperationContext>, id: number) {
  const found = await subscriptionShown(context, id);
  if (found === null) throw unknown('subscription');
  return found;
}

/** A subscription of the tenant by its number, as it is answered; null if there is no such. */
export async function subscriptionShown(
  { tx, tenant, now }: Pick<OnTenant<OperationContext>, 'tx' | 'tenant' | 'now'>,
  id: number,
) {
  const stored = await findSubscription(tx, tenant.id, id);
  const [found] = stored === null ? [] : await listSomeSubscriptions(tx, stored.memberId, { only: id });
  return found === undefined ? null : subscriptionAnswer(found, now);
}

export const subscriptionOperations: readonly Operation[] = [
  listed,
  created,
  changed,
  propertiesSet,
  propertiesChanged,
];
