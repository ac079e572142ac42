// The operations on checkouts.
import { type Checkout, checkoutStanding } from '../../../core/access/checkout.ts';
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import {
  exactly,
  list,
  oneOf,
  resource,
  text,
  textOrNull,
  time,
  timeOrNull,
  wholeNumber,
} from '../../../json-schema.ts';
import { listCheckoutsOfTenant } from '../../../storage/access/checkout.ts';
import { onTenant } from '../define.ts';
import { limitField, pageOf } from '../fields.ts';
import { memberField, memberIdField } from '../members/member-answer.ts';
import type { Operation } from '../operation.ts';
import { packageIdField, periodSchema, priceSchema } from './packages.ts';

const checkoutSchema = resource('Checkout', 'A checkout', {
  id: text('Its id', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a05'),
  memberId: memberIdField,
  packageId: packageIdField,
  state: oneOf('CheckoutState', 'What it is now', ['open', 'completed', 'cancelled', 'expired']),
  payment: text('The payment method', 'invoice'),
  price: priceSchema,
  period: periodSchema,
  reference: textOrNull('Where the member came from: text that any sender may have written', 'article/42'),
  createdAt: time('When it was begun'),
  closedAt: timeOrNull('When it was completed or cancelled', null),
  paymentReference: textOrNull('What the payment is called where it was made', null),
  subscriptionId: {
    ...wholeNumber('The subscription that it gave', 1),
    type: ['integer', 'null'],
  },
});

/** Where it leads back to is left out: those are addresses that the sender of a link chose (K8). */
function checkoutAnswer(checkout: Checkout, now: number) {
  return {
    id: checkout.id,
    memberId: checkout.memberId,
    packageId: checkout.packageId,
    state: checkoutStanding(checkout, now),
    payment: checkout.payment,
    price: checkout.price,
    period: checkout.period,
    reference: checkout.reference,
    createdAt: isoTime(checkout.createdAt),
    closedAt: isoTimeOrNull(checkout.closedAt),
    paymentReference: checkout.paymentReference,
    subscriptionId: checkout.subscriptionId,
  };
}

const listed = onTenant<{ readonly memberId?: string; readonly before?: string; readonly limit: number }>({
  name: 'checkouts.list',
  summary: 'List the checkouts of a tenant or of one member, the newest first',
  portal: { list: { title: 'Checkouts', lead: 'What members ordered, and what came of it.' } },
  permission: 'subscriptions:read',
  method: 'GET',
  path: '/checkouts',
  optional: {
    memberId: memberField,
    before: text('The id of the last checkout of the page before', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a05'),
    limit: limitField,
  },
  output: exactly('A page of checkouts', {
    checkouts: list('Checkouts', checkoutSchema),
    next: textOrNull('What the next page takes as `before`; null on the last one', null),
  }),
  run: async ({ tx, tenant, now }, { limit, memberId, before }) => {
    const narrowing = {
      ...(memberId === undefined ? {} : { memberId }),
      ...(before === undefined ? {} : { before }),
    };
    const read = await listCheckoutsOfTenant(tx, tenant.id, narrowing, limit + 1);
    const { page, last } = pageOf(read, limit);
    return { checkouts: page.map((checkout) => checkoutAnswer(checkout, now)), next: last?.id ?? null };
  },
});

export const checkoutOperations: readonly Operation[] = [listed];
