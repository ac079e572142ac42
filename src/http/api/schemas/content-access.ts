// The schemas of content access and its explanation.
import {
  exactly,
  extended,
  flag,
  list,
  named,
  oneOf,
  type Schema,
  text,
  time,
  timeOrNull,
  wholeNumber,
} from '../../../json-schema.ts';
import { productSchema } from '../../../operations/admin/access/products.ts';
import { orNull } from '../../../operations/admin/fields.ts';
import { profileSchema } from './member.ts';

const grantSchema = named(
  'Grant',
  exactly(
    'What opens the channel: of several subscriptions the one that runs longest. Null where it is closed.',
    {
      subscriptionId: wholeNumber('The subscription.', 41),
      packageId: wholeNumber('Its package.', 7),
      productId: wholeNumber('The product that the package and the channel share.', 72),
    },
  ),
);

const access: Readonly<Record<string, Schema>> = {
  hasAccess: flag('Whether the channel is open to the member.'),
  validUntil: timeOrNull('Until when it is open unless something is renewed (UTC); null where it is closed.'),
  grantedBy: orNull(grantSchema),
};

const contentChannelSchema = named(
  'ContentChannel',
  exactly('A content channel and whether it is open to the member.', {
    id: text('The channel.', 'sport'),
    name: text('Name of the channel.', 'Sport'),
    description: text('What is in it; may be empty.', 'Matches, live'),
    ...access,
  }),
);

export const contentAccessSchema = extended(
  profileSchema,
  'ContentAccess',
  'A member with the content channels.',
  {
    contentChannels: list('Every content channel of the tenant, by id, open or not.', contentChannelSchema),
  },
);

const verdicts = ['grants', 'other_products', 'not_ordered', 'not_paid', 'not_yet', 'ended', 'over'];

const subscriptionReasonSchema = named(
  'SubscriptionReason',
  exactly('How one subscription bears on the channel.', {
    subscriptionId: wholeNumber('The subscription.', 41),
    packageId: wholeNumber('Its package.', 7),
    packageName: text('Name of the package.', 'Acme Everything'),
    verdict: oneOf(
      'Verdict',
      'grants: it opens the channel. other_products: its package has no product of the channel. not_ordered: it did not exist yet. not_paid: it waits for a payment. not_yet: it begins later. ended: it was ended before its time. over: its time is over.',
      verdicts,
    ),
    product: {
      ...orNull(productSchema),
      description: 'The product that ties the package to the channel; null if none does.',
    },
    createdAt: time('When it was ordered (UTC).'),
    activatedAt: timeOrNull('When it began to give access (UTC); null while it waits for a payment.'),
    expiresAt: timeOrNull('When its time is over (UTC); null while it waits for a payment.'),
    endedAt: timeOrNull('When it was ended before its time (UTC); null if it was not.', null),
  }),
);

export const explanationSchema = named(
  'Explanation',
  exactly('Why a channel is open or closed to a member at a moment.', {
    memberId: text('The member.', '0199a3c4-7d10-7c41-9c2e-5f0b6a4d8e21'),
    channel: exactly('The channel.', {
      id: text('The channel.', 'sport'),
      name: text('Name of the channel.', 'Sport'),
      products: list('The products that open it.', productSchema),
    }),
    at: time('The moment that is explained (UTC).'),
    ...access,
    summary: text(
      'One sentence in English for the administrator who answers the member.',
      'Closed: the member has no subscription.',
    ),
    subscriptions: list(
      'Every subscription of the member, active or not, oldest first.',
      subscriptionReasonSchema,
    ),
  }),
);
