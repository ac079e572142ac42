// The operations on checkouts.

import { type Checkout, checkoutStanding } from '../../../core/access/checkout.ts';
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { listCheckoutsOfTenant } from '../../../storage/access/checkout.ts';
import * as s from '../../json-schema.ts';
import { onTenant } from '../define.ts';
import { listWithFile, nextText, sortField } from '../list.ts';
import { memberField, memberIdField } from '../members/member.ts';
import { memberNameFields, packageNameField, withMemberNames, withPackageNames } from '../names.ts';
import type { Operation } from '../operation.ts';
import { packageIdField, periodSchema, priceSchema } from './packages.ts';

/** Where it leads back to is left out: those are addresses that the sender of a link chose (K8). */
export const checkoutSchema = s.resource('Checkout', 'A checkout', {
  id: s.text('Its id', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a05'),
  memberId: memberIdField,
  packageId: packageIdField,
  state: s.oneOf('CheckoutState', 'What it is now', ['open', 'completed', 'cancelled', 'expired']),
  payment: s.text('The payment method', 'invoice'),
  price: priceSchema,
  period: periodSchema,
  reference: s.textOrNull('Where the member came from: text that any sender may have written', 'article/42'),
  createdAt: s.time('When it was begun'),
  closedAt: s.timeOrNull('When it was completed or cancelled', null),
  paymentReference: s.textOrNull('What the payment is called where it was made', null),
  subscriptionId: s.orNull(s.wholeNumber('The subscription that it gave', 1)),
});

/** Beside what a checkout says, a list names its member and its package. */
const listedSchema = s.extended(checkoutSchema, 'ListedCheckout', 'A checkout in a list', {
  ...memberNameFields,
  packageName: packageNameField,
});

export function checkoutAnswer(checkout: Checkout, now: number) {
  return s.pick(checkoutSchema, {
    ...checkout,
    state: checkoutStanding(checkout, now),
    createdAt: isoTime(checkout.createdAt),
    closedAt: isoTimeOrNull(checkout.closedAt),
  });
}

const all = listWithFile({
  name: 'checkouts.list',
  summary: 'List the checkouts of a tenant or of one member, the newest first',
  permission: 'subscriptions:read',
  route: 'GET /checkouts',
  title: 'Checkouts',
  lead: 'What members ordered, and what came of it.',
  columns: ['createdAt', 'memberId', 'packageId', 'price', 'state', 'closedAt'],
  of: 'checkouts',
  page: 'A page of checkouts',
  schema: listedSchema,
  fileSchema: checkoutSchema,
  next: nextText,
  narrowing: {
    memberId: memberField,
    sort: sortField('-createdAt', 'createdAt'),
    before: s.text('The id of the last checkout of the page before', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a05'),
  },
  read: ({ tx, tenant }, filter, limit) => listCheckoutsOfTenant(tx, tenant.id, { ...filter, limit }),
  answer: (checkout, { now }) => checkoutAnswer(checkout, now),
  answers: async (checkouts, context) => {
    const answers = checkouts.map((checkout) => checkoutAnswer(checkout, context.now));
    return withPackageNames(await withMemberNames(answers, context), context);
  },
  key: 'id',
  file: {
    name: 'checkouts.export',
    summary: 'Write the checkouts of a tenant or of one member to a file, one a line',
  },
});

export const checkoutOperations: readonly Operation[] = [onTenant(all.list), onTenant(all.file)];
