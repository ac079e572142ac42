import { profileOf } from '../../core/access/profile.ts';
import { reference } from '../../json-schema.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { type ApiRoute, profileUrl } from './route.ts';

/** GET /api/v1/members/profile/info-with-active-subscriptions (contract). */
export const profileRoute: ApiRoute = {
  method: 'GET',
  url: `${profileUrl}/info-with-active-subscriptions`,
  operationId: 'getProfileWithActiveSubscriptions',
  tag: 'profile',
  summary: 'The member with the active subscriptions',
  description: 'Only active subscriptions are listed; an empty list means that there is none.',
  answer: reference('MemberProfile'),
  refusals: [],
  handle: async (tx, { member, now }) => ({
    status: 200,
    body: profileOf(member, await listSubscriptions(tx, member.id), now),
  }),
};
