// Content channels, and which subscription opens one.
import { isActive, type MemberSubscription } from './subscription.ts';

/** Something that members watch or read; it is open to members who have one of its products. */
export interface ContentChannel {
  /** The tenant's own name for it, such as `sport-live`. */
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly description: string;
  readonly productIds: readonly number[];
}

/** Which subscription opens a channel, and by which of its products. */
export interface Grant {
  readonly subscriptionId: number;
  readonly packageId: number;
  readonly productId: number;
}

/** Whether a channel is open to a member, until when (ms), and what opens it. */
export interface ChannelAccess {
  readonly hasAccess: boolean;
  readonly validUntil: number | null;
  readonly grantedBy: Grant | null;
}

/** Names of channels and consents in addresses and files: lower case, digits and hyphens. */
export function isAccessId(text: string): boolean {
  return accessIdPattern.test(text);
}

export const accessIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/**
 * Whether a channel is open at a moment (decision 38). Of several subscriptions that open it the one that runs
 * longest is named, and of two that run equally long the older.
 */
export function channelAccess(
  { productIds }: Pick<ContentChannel, 'productIds'>,
  subscriptions: readonly MemberSubscription[],
  at: number,
): ChannelAccess {
  let granted: ChannelAccess = { hasAccess: false, validUntil: null, grantedBy: null };
  for (const subscription of subscriptions) {
    const product = subscription.products.find(({ id }) => productIds.includes(id));
    const { subscriptionId, packageId, expiresAt } = subscription;
    if (product === undefined || expiresAt === null || !isActive(subscription, at)) continue;
    if (granted.validUntil !== null && expiresAt <= granted.validUntil) continue;
    granted = {
      hasAccess: true,
      validUntil: expiresAt,
      grantedBy: { subscriptionId, packageId, productId: product.id },
    };
  }
  return granted;
}
