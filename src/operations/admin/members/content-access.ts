// What content a member has access to now, and why.

import { type ContentChannel, explain } from '../../../core/access/content-channel.ts';
import type { MemberSubscription } from '../../../core/access/subscription.ts';
import { subscriptionsLookedAt } from '../../../core/members/limits.ts';
import type { Member } from '../../../core/members/member.ts';
import { listAccessToLookAt } from '../../../storage/access/content-access.ts';
import { listContentChannels } from '../../../storage/access/content-channel.ts';
import type { ListPage } from '../../../storage/rows.ts';
import * as s from '../../json-schema.ts';
import { channelIdField } from '../access/channels.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { memberField, memberFor } from './member.ts';

export const contentAccessSchema = s.resource('ContentAccess', 'A content channel, and whether it is open', {
  id: channelIdField,
  name: s.text('What members read', 'Sport live'),
  hasAccess: s.flag('Whether it is open to the member now'),
  validUntil: s.timeOrNull('Until when; null where it is closed'),
  subscriptionId: s.orNull(s.wholeNumber('The subscription that opens it', 1)),
  packageName: s.textOrNull('The package of that subscription', 'Everything'),
  productName: s.textOrNull('The product of that package by which it does', 'Sport'),
  why: s.text('Why it is open or closed, in one sentence', 'Closed: the member has no subscription.'),
});

/** A page of the content channels of a tenant, each with whether it is open to a member. */
export async function contentAccess(
  { tx, tenant, now }: OnTenant<OperationContext>,
  member: Pick<Member, 'id' | 'tenantId'>,
  page: ListPage<string>,
) {
  const channels = await listContentChannels(tx, tenant.id, page);
  const held = await listAccessToLookAt(tx, member, now, subscriptionsLookedAt);
  return channels.map((channel) => accessAnswer(member.id, channel, held, now));
}

function accessAnswer(
  memberId: string,
  channel: ContentChannel,
  held: readonly MemberSubscription[],
  now: number,
) {
  const { hasAccess, validUntil, grantedBy, summary } = explain(memberId, channel, [], held, now);
  const giving = held.find(({ subscriptionId }) => subscriptionId === grantedBy?.subscriptionId);
  return {
    id: channel.id,
    name: channel.name,
    hasAccess,
    validUntil,
    subscriptionId: grantedBy?.subscriptionId ?? null,
    packageName: giving?.packageName ?? null,
    productName: giving?.products.find(({ id }) => id === grantedBy?.productId)?.name ?? null,
    why: summary,
  };
}

const listed = onTenant(
  keyedList({
    name: 'contentAccess.list',
    summary: 'List the content channels of a tenant with whether each is open to a member now, and why',
    permission: 'subscriptions:read',
    route: 'GET /members/{memberId}/access',
    title: 'Access now',
    lead: 'Each content channel, whether it is open to the member now, and why.',
    columns: ['name', 'hasAccess', 'validUntil', 'packageName', 'why'],
    entry: { field: 'channelId', key: 'id' },
    fields: { memberId: memberField },
    of: 'channels',
    page: 'A page of channels, by id',
    pageName: 'ContentAccessPage',
    schema: contentAccessSchema,
    read: async (context, page, { memberId }) =>
      contentAccess(context, await memberFor(context, memberId), page),
  }),
);

export const contentAccessOperations: readonly Operation[] = [listed];
