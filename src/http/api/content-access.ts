// The member API's route for content access.
import { contentAccessOf } from '../../core/access/content-access.ts';
import { listContentChannels } from '../../storage/access/content-channel.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { sightOfCall } from './first-party.ts';
import { type ApiRoute, profileUrl, whatThirdPartiesGet } from './route.ts';
import { contentAccessSchema } from './schemas/content-access.ts';

/** GET /api/v1/members/profile/info-with-content-access (decisions 5 and 38). */
export const contentAccessRoute: ApiRoute = {
  method: 'GET',
  url: `${profileUrl}/info-with-content-access`,
  operationId: 'getProfileWithContentAccess',
  tag: 'profile',
  summary: 'The member with the content channels',
  description: `Every content channel of the tenant: whether it is open to the member, until when, and what opens it. ${whatThirdPartiesGet}`,
  answer: contentAccessSchema,
  refusals: [],
  handle: async (tx, call) => {
    const { tenant, member, now } = call;
    const channels = await listContentChannels(tx, tenant.id);
    const subscriptions = await listSubscriptions(tx, member.id);
    const sees = await sightOfCall(tx, call);
    return { status: 200, body: contentAccessOf(member, channels, subscriptions, sees, now) };
  },
};
