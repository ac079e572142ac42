// The member API's route for the profile.
import { profileOf } from '../../core/access/profile.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { sightOfCall } from './first-party.ts';
import { type ApiRoute, profileUrl, whatThirdPartiesGet } from './route.ts';
import { memberProfileSchema } from './schemas/member.ts';

/** GET /api/v1/members/profile/info-with-active-subscriptions (contract). */
export const profileRoute: ApiRoute = {
  method: 'GET',
  url: `${profileUrl}/info-with-active-subscriptions`,
  operationId: 'getProfileWithActiveSubscriptions',
  tag: 'profile',
  summary: 'The member with the active subscriptions',
  description: `Only active subscriptions are listed; an empty list means that there is none. ${whatThirdPartiesGet}`,
  answer: memberProfileSchema,
  refusals: [],
  handle: async (tx, call) => {
    const { member, now } = call;
    const subscriptions = await listSubscriptions(tx, member.id);
    return { status: 200, body: profileOf(member, subscriptions, await sightOfCall(tx, call), now) };
  },
};
