// Decides which content a member has access to at a moment.
import type { Member } from '../members/member.ts';
import type { Sight } from '../oidc/scope.ts';
import { type ContentChannel, channelAccess, type Grant } from './content-channel.ts';
import { isoTimeOrNull } from './iso-time.ts';
import { basicsOf, type MemberBasics } from './profile.ts';
import type { MemberSubscription } from './subscription.ts';

/** The member's basics and every content channel of the tenant, open or not (decisions 5 and 38). */
export interface ContentAccess extends MemberBasics {
  readonly contentChannels: readonly ChannelOfMember[];
}

export interface ChannelOfMember {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly hasAccess: boolean;
  /** ISO 8601, UTC, milliseconds; null where there is no access. */
  readonly validUntil: string | null;
  readonly grantedBy: Grant | null;
}

/**
 * What content a member has access to at a moment. Which channels are open tells of the subscriptions: an app that
 * does not see those sees no channels (decision 41).
 */
export function contentAccessOf(
  member: Member,
  channels: readonly ContentChannel[],
  subscriptions: readonly MemberSubscription[],
  sees: Sight,
  now: number,
): ContentAccess {
  const seen = sees.subscriptions ? channels : [];
  return {
    ...basicsOf(member, sees),
    contentChannels: seen.map((channel) => {
      const { hasAccess, validUntil, grantedBy } = channelAccess(channel, subscriptions, now);
      return {
        id: channel.id,
        name: channel.name,
        description: channel.description,
        hasAccess,
        validUntil: isoTimeOrNull(validUntil),
        grantedBy,
      };
    }),
  };
}
