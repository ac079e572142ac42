// The route that explains to an administrator why a channel is open or closed.
import { explain } from '../../core/access/content-channel.ts';
import { isGone } from '../../core/members/member.ts';
import { listContentChannels } from '../../storage/access/content-channel.ts';
import { listProducts } from '../../storage/access/product.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { isFirstParty } from './first-party.ts';
import { isoTimePattern, parseIsoTime } from './iso-time.ts';
import { type ApiAnswer, type ApiRoute, type Call, profileUrl } from './route.ts';
import { explanationSchema } from './schemas/content-access.ts';

interface ExplainQuery {
  readonly channel: string;
  readonly member?: string;
  readonly at?: string;
}

/** GET /api/v1/members/profile/info-with-content-access/explain: for those who answer a member's complaint. */
export const explainRoute: ApiRoute = {
  method: 'GET',
  url: `${profileUrl}/info-with-content-access/explain`,
  operationId: 'explainContentAccess',
  tag: 'support',
  summary: 'Why a channel is open or closed to a member',
  description:
    'For administrators (userType tenant_admin or system_admin), in the clients of the tenant itself: names each subscription of a member and why it opens a channel or not, now or at another moment. What products a package and a channel have is what they have now.',
  querystring: {
    type: 'object',
    properties: {
      channel: { type: 'string', description: 'The channel.', examples: ['sport'] },
      member: {
        type: 'string',
        description: 'A member of the same tenant, by id. Without it: the member of the token.',
        examples: ['0199a3c4-7d10-7c41-9c2e-5f0b6a4d8e21'],
      },
      at: {
        type: 'string',
        pattern: isoTimePattern,
        description: 'The moment to explain: ISO 8601 with an offset. Without it: now.',
        examples: ['2026-01-31T12:00:00Z', '2026-01-31T13:00:00+01:00'],
      },
    },
    required: ['channel'],
  },
  answer: explanationSchema,
  refusals: [400, 403, 404],
  handle: answerExplain,
};

async function answerExplain(tx: Tx, call: Call): Promise<ApiAnswer> {
  const { tenant, member, now } = call;
  const { channel: channelId, member: memberId = member.id, at: atText } = call.query as ExplainQuery;
  if (member.userType === 'member') return { status: 403, description: 'this is for administrators only' };
  if (!(await isFirstParty(tx, call))) {
    return { status: 403, description: 'this is for the clients of the tenant itself' };
  }
  const at = atText === undefined ? now : parseIsoTime(atText);
  if (at === null) return { status: 400, description: 'at is no such time' };
  const channel = (await listContentChannels(tx, tenant.id)).find(({ id }) => id === channelId);
  if (channel === undefined) return { status: 404, description: 'there is no such channel' };
  const about = await findMember(tx, tenant.id, memberId);
  if (about === null || isGone(about, now)) return { status: 404, description: 'there is no such member' };
  const products = await listProducts(tx, tenant.id);
  const subscriptions = await listSubscriptions(tx, about.id);
  return { status: 200, body: explain(about.id, channel, products, subscriptions, at) };
}
