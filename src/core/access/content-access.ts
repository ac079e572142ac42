// Decides which content a member has access to at a moment.
import type { Member } from '../members/member.ts';
import type { Sight } from '../oidc/scope.ts';
import { type ContentChannel, channelAccess } from './content-channel.ts';
import { isoTimeOrNull } from './iso-time.ts';
import { basicsOf } from './profile.ts';
import type { MemberSubscription } from './subscription.ts';

/**
 * What content a member has access to at a moment: the member's basics and every content channel of the tenant, open
 * or not (decisions 5 and 38). Which channels are open tells of the subscriptions: an app that does not see those sees
 * no channels (decision 41). Times are ISO 8601, UTC, milliseconds; null where there is no access.
 */
export function contentAccessOf(
  member: Member,
  channels: readonly ContentChannel[],
  subscriptions: readonly MemberSubscription[],
  sees: Sight,
  now: number,
) {
  const seen = sees.subscriptions ? channels : [];
  return {
    ...basicsOf(member, sees),
    contentChannels: seen.map((channel) => {
      const { id, name, description } = channel;
      const { hasAccess, validUntil, grantedBy } = channelAccess(channel, subscriptions, now);
      return { id, name, description, hasAccess, validUntil: isoTimeOrNull(validUntil), grantedBy };
    }),
  };
}
