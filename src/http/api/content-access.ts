// The member API's route for content access.
import { contentAccessOf } from '../../core/access/content-access.ts';
import { explain } from '../../core/access/content-channel.ts';
import { isoTime } from '../../core/access/iso-time.ts';
import { isGone } from '../../core/members/member.ts';
import { productSchema } from '../../operations/admin/access/packages.ts';
import {
  exactly,
  extended,
  flag,
  list,
  oneOf,
  orNull,
  resource,
  type Schema,
  text,
  time,
  timeOrNull,
  wholeNumber,
} from '../../operations/json-schema.ts';
import { listAccess } from '../../storage/access/content-access.ts';
import { listContentChannels } from '../../storage/access/content-channel.ts';
import { listProducts } from '../../storage/access/package.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { profileSchema } from './profile.ts';
import {
  type ApiAnswer,
  type ApiRoute,
  type Call,
  isFirstParty,
  profileUrl,
  sightOfCall,
  whatThirdPartiesGet,
} from './route.ts';

const grantSchema = resource(
  'Grant',
  'What opens the channel: of several subscriptions the one that runs longest. Null where it is closed.',
  {
    subscriptionId: wholeNumber('The subscription.', 41),
    packageId: wholeNumber('Its package.', 7),
    productId: wholeNumber('The product that the package and the channel share.', 72),
  },
);

const access: Readonly<Record<string, Schema>> = {
  hasAccess: flag('Whether the channel is open to the member.'),
  validUntil: timeOrNull('Until when it is open unless something is renewed (UTC); null where it is closed.'),
  grantedBy: orNull(grantSchema),
};

const contentChannelSchema = resource(
  'ContentChannel',
  'A content channel and whether it is open to the member.',
  {
    id: text('The channel.', 'sport'),
    name: text('Name of the channel.', 'Sport'),
    description: text('What is in it; may be empty.', 'Matches, live'),
    ...access,
  },
);

const contentAccessSchema = extended(profileSchema, 'ContentAccess', 'A member with the content channels.', {
  contentChannels: list('Every content channel of the tenant, by id, open or not.', contentChannelSchema),
});

const verdicts = ['grants', 'other_products', 'not_ordered', 'not_paid', 'not_yet', 'ended', 'over'];

const subscriptionReasonSchema = resource(
  'SubscriptionReason',
  'How one subscription bears on the channel.',
  {
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
  },
);

const explanationSchema = resource(
  'Explanation',
  'Why a channel is open or closed to a member at a moment.',
  {
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
      'Every subscription of the member, active or not, oldest first, then those in which the member has or had a seat.',
      subscriptionReasonSchema,
    ),
  },
);

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
    const subscriptions = await listAccess(tx, member);
    const sees = await sightOfCall(tx, call);
    return { status: 200, body: contentAccessOf(member, channels, subscriptions, sees, now) };
  },
};

const form = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?:Z|([+ -])(\d\d)(?::?(\d\d))?)$/;

/**
 * A date and time in the extended form of ISO 8601 with its offset; seconds, and minutes of the offset, may be
 * left out. For the + of an offset a space is taken too: that is what + means in a query (WHATWG URL §5.1).
 */
const isoTimePattern = form.source;

/** Such a time in whole ms; null if there is no such time, or it is not of the years 0 to 9999 in UTC. */
function parseIsoTime(text: string): number | null {
  const found = form.exec(text);
  if (found === null) return null;
  const [, date, time = '', sign, hours = '00', minutes = '00'] = found;
  const local = Date.parse(`${date}T${time.replace(',', '.')}Z`);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(local) || !isoTime(local).startsWith(String(date))) return null;
  if (hours > '23' || minutes > '59') return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const ms = sign === '-' ? local + offset : local - offset;
  return /^\d{4}-/.test(isoTime(ms)) ? ms : null;
}

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
  const subscriptions = await listAccess(tx, about);
  return { status: 200, body: explain(about.id, channel, products, subscriptions, at) };
}
