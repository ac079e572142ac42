// The member API's route for the profile.
import { profileOf } from '../../core/access/profile.ts';
import type { MemberSubscription } from '../../core/access/subscription.ts';
import { addressSchema, userTypeField } from '../../operations/admin/members/member.ts';
import {
  exactly,
  extended,
  flag,
  list,
  oneOf,
  resource,
  text,
  textOrNull,
  time,
  wholeNumber,
} from '../../operations/json-schema.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { type ApiRoute, profileUrl, sightOfCall, whatThirdPartiesGet } from './route.ts';

/** Who a member is: what both profiles begin with (contract, "Member profile"; decision 38). */
export const profileSchema = resource('Profile', 'A member.', {
  id: text(
    'The member: a string, not a number. It is the sub of the tokens.',
    '0199a3c4-7d10-7c41-9c2e-5f0b6a4d8e21',
  ),
  fullName: text('Full name.', 'Ada Nilsen'),
  email: text('E-mail address.', 'ada@example.com'),
  userType: {
    ...userTypeField,
    description: "What the member may do beyond being one; always member for a third party's client.",
  },
  userId: wholeNumber('A number for the member; 0 where the client may not see it.', 1_001),
  phone: text(
    'Telephone number with the country calling code, beginning with +; there is no separate field for the code. Empty if not given.',
    '+4791234567',
  ),
  avatar: textOrNull('Address of a picture.', 'https://example.com/avatars/ada.png', null),
  nickName: text('What the member likes to be called; may be empty.', 'Ada'),
  memberNumber: wholeNumber('The number on the member card; 0 where the client may not see it.', 501_001),
  address: addressSchema,
});

const subscriptionSchema = resource('Subscription', 'A subscription that gives access now.', {
  subscriptionId: wholeNumber('The subscription.', 41),
  packageId: wholeNumber('The package that is subscribed to.', 7),
  packageName: text('Name of the package.', 'Acme Everything'),
  status: oneOf('ActiveStatus', '"active" for every subscription in this list.', ['active']),
  createdAt: time('When it was ordered (UTC).'),
  activatedAt: time('Since when it gives access (UTC).'),
  expiresAt: time('Until when it gives access (UTC); at this very moment it no longer does.'),
  subscriptionProducts: list(
    'What the package opens.',
    exactly('A product of the package.', {
      id: wholeNumber('The product.', 71),
      name: text('Name of the product.', 'News'),
      hasAccess: flag('Whether the member has access to the product.'),
    }),
  ),
  customPropertyValues: {
    type: 'object',
    description:
      'Keys that the tenant has defined. Values are numbers, strings or ISO 8601 timestamps (UTC, milliseconds).',
    additionalProperties: { type: ['number', 'string'] },
    examples: [{ seats: 2, source: 'spring campaign', renewedAt: '2026-01-31T23:59:59.999Z' }],
  },
});

const memberProfileSchema = extended(
  profileSchema,
  'MemberProfile',
  'A member with the active subscriptions.',
  {
    subscriptions: list(
      'The active subscriptions, oldest first; empty if there is none.',
      subscriptionSchema,
    ),
  },
);

/** GET /api/v1/members/profile/info-with-active-subscriptions (contract). */
export const profileRoute: ApiRoute<readonly MemberSubscription[]> = {
  method: 'GET',
  url: `${profileUrl}/info-with-active-subscriptions`,
  operationId: 'getProfileWithActiveSubscriptions',
  tag: 'profile',
  summary: 'The member with the active subscriptions',
  description: `Only active subscriptions are listed; an empty list means that there is none. ${whatThirdPartiesGet}`,
  answer: memberProfileSchema,
  refusals: [],
  read: listSubscriptions,
  handle: async (tx, call, subscriptions) => {
    const { member, now } = call;
    return { status: 200, body: profileOf(member, subscriptions, await sightOfCall(tx, call), now) };
  },
};
