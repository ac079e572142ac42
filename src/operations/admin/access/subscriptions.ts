// The operations on subscriptions.
import type { CustomPropertyValues } from '../../../core/access/custom-property.ts';
import { endOfPeriod } from '../../../core/access/package.ts';
import { standingOf } from '../../../core/access/subscription.ts';
import { exactly, list, oneOf, time } from '../../../json-schema.ts';
import { findPackage } from '../../../storage/access/package.ts';
import { findSubscription, listSomeSubscriptions } from '../../../storage/access/subscription.ts';
import type { ListPage } from '../../../storage/list-page.ts';
import {
  addSubscription,
  changeSubscription,
  type SubscriptionChange,
  setCustomPropertyValues,
} from '../../access/subscription.ts';
import { conflict, unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { orNull } from '../fields.ts';
import { type ListInput, listFields, nextOf, readPage } from '../list.ts';
import { type MemberContext, memberFor } from '../members/manage.ts';
import { memberField } from '../members/member-answer.ts';
import type { Operation } from '../operation.ts';
import { packageIdField } from './packages.ts';
import {
  subscriptionAnswer,
  subscriptionIdField,
  subscriptionSchema,
  valuesField,
} from './subscription-answer.ts';

const subscriptionPages = ['members.read', 'subscriptions.list'];

const listed = onTenant<ListInput<number> & { readonly memberId: string; readonly subscriptionId?: number }>({
  name: 'subscriptions.list',
  summary: 'List the subscriptions of a member, whatever became of them',
  portal: { list: { title: 'Subscriptions', entry: { field: 'subscriptionId', key: 'subscriptionId' } } },
  permission: 'subscriptions:read',
  method: 'GET',
  path: '/members/{memberId}/subscriptions',
  fields: { memberId: memberField },
  optional: listFields('subscriptionId', subscriptionIdField),
  output: exactly('A page of subscriptions, oldest first', {
    subscriptions: list('Subscriptions', subscriptionSchema),
    next: nextOf(subscriptionIdField),
  }),
  run: async (context, { memberId, subscriptionId, ...input }) => {
    const { tx, now } = context;
    const { id } = await memberFor(context, memberId);
    const read = (from: ListPage<number>) => listSomeSubscriptions(tx, id, from);
    const { page, next } = await readPage(input, subscriptionId, read, (one) => one.subscriptionId);
    return { subscriptions: page.map((subscription) => subscriptionAnswer(subscription, now)), next };
  },
});

interface NewSubscriptionInput {
  readonly memberId: string;
  readonly packageId: number;
  readonly activatedAt?: string | null;
  readonly expiresAt?: string;
  readonly customPropertyValues: CustomPropertyValues;
}

const created = onTenant<NewSubscriptionInput>({
  name: 'subscriptions.create',
  summary: 'Give a member a subscription',
  portal: { page: subscriptionPages, reads: 'members.read', choices: { packageId: 'packages.list' } },
  permission: 'subscriptions:write',
  method: 'POST',
  path: '/members/{memberId}/subscriptions',
  fields: { memberId: memberField, packageId: packageIdField },
  optional: {
    activatedAt: orNull(time('When it begins: now if left out'), 'that it waits for a payment'),
    expiresAt: time(
      'When it ends unless it is renewed: after one period of the package if left out',
      '2036-01-31T12:00:00.000Z',
    ),
    customPropertyValues: { ...valuesField, default: {} },
  },
  output: subscriptionSchema,
  made: 'subscriptionId',
  run: async (context, { memberId, packageId, customPropertyValues, ...times }) => {
    const { tx, tenant, now } = context;
    await memberFor(context, memberId);
    const offer = await findPackage(tx, tenant.id, packageId);
    if (offer === null) throw unknown('package');
    const activatedAt = times.activatedAt === undefined ? now : timeOf(times.activatedAt);
    const oncePaid = activatedAt === null ? null : endOfPeriod(activatedAt, offer.period);
    const id = await addSubscription(tx, tenant.id, {
      memberId,
      packageId,
      createdAt: now,
      activatedAt,
      expiresAt: times.expiresAt === undefined ? oncePaid : timeOf(times.expiresAt),
      customPropertyValues,
    });
    return shown(context, id);
  },
});

const changed = onTenant<{ readonly subscriptionId: number; readonly change: SubscriptionChange }>({
  name: 'subscriptions.change',
  summary: 'Activate, cancel, resume, renew or end a subscription',
  portal: { page: subscriptionPages, reads: 'subscriptions.list', endsIf: { change: ['cancel', 'end'] } },
  permission: 'subscriptions:write',
  method: 'POST',
  path: '/subscriptions/{subscriptionId}',
  fields: {
    subscriptionId: subscriptionIdField,
    change: oneOf(
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

const propertiesSet = onTenant<{ readonly subscriptionId: number; readonly values: CustomPropertyValues }>({
  name: 'subscriptions.setProperties',
  summary: 'Set the tenant’s own properties of a subscription, all of them',
  portal: {
    page: subscriptionPages,
    reads: 'subscriptions.list',
    readsAs: { values: 'customPropertyValues' },
  },
  permission: 'subscriptions:write',
  method: 'PUT',
  path: '/subscriptions/{subscriptionId}/properties',
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

const timeOf = (text: string | null) => (text === null || text === '' ? null : Date.parse(text));

async function shown({ tx, tenant, now }: MemberContext, id: number): Promise<object> {
  const stored = await findSubscription(tx, tenant.id, id);
  const [found] = stored === null ? [] : await listSomeSubscriptions(tx, stored.memberId, { only: id });
  if (found === undefined) throw unknown('subscription');
  return subscriptionAnswer(found, now);
}

export const subscriptionOperations: readonly Operation[] = [listed, created, changed, propertiesSet];
