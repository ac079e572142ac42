// Content channels, which subscription opens one to a member, and why it does not.
import { isoTime, isoTimeOrNull } from './iso-time.ts';
import { type IpAddress, isWithin, type Network, networkText } from './network.ts';
import type { Product } from './package.ts';
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

/** Which package opens a channel to those who come from a network, and by which of its products. */
export interface NetworkGrant extends Omit<Grant, 'subscriptionId'> {
  /** The range that the address is in. */
  readonly network: string;
}

/** Which of these packages are open for an address, each with the range that it is in. */
export function openedFor(
  address: IpAddress,
  packages: readonly { readonly id: number; readonly networks: readonly Network[] }[],
): ReadonlyMap<number, string> {
  const opened = packages.flatMap(({ id, networks }): [number, string][] => {
    const network = networks.find((one) => isWithin(address, one));
    return network === undefined ? [] : [[id, networkText(network)]];
  });
  return new Map(opened);
}

/**
 * Which package opens a channel for an address, for any visitor from there; of several the oldest. Null if none does.
 *
 * @param opened by `openedFor`
 * @param products those of such packages
 */
export function networkAccess(
  { productIds }: Pick<ContentChannel, 'productIds'>,
  opened: ReadonlyMap<number, string>,
  products: readonly (Product & { readonly packageId: number })[],
): NetworkGrant | null {
  const opening = products.filter(({ id }) => productIds.includes(id));
  const [product] = opening.toSorted((a, b) => a.packageId - b.packageId || a.id - b.id);
  const network = product === undefined ? undefined : opened.get(product.packageId);
  if (product === undefined || network === undefined) return null;
  return { packageId: product.packageId, productId: product.id, network };
}

/**
 * Why a subscription opens a channel or not:
 *
 * - `grants`: its window is open and its package has a product of the channel
 * - `other_products`: its package has no product of the channel, whatever its window
 * - `not_ordered`: it did not exist yet
 * - `not_paid`: it waits for a payment
 * - `not_yet`: its window opens later
 * - `ended`: it was ended before its time
 * - `over`: its window has closed
 */
export type Verdict = 'ended' | 'grants' | 'not_ordered' | 'not_paid' | 'not_yet' | 'other_products' | 'over';

/**
 * Explains to an administrator who answers a member's complaint why a channel is open or closed to the member: in one
 * sentence, and by each subscription. What products a package and a channel have is what they have now; times are
 * those of the moment asked for, in ISO 8601, UTC, milliseconds.
 *
 * @param subscriptions every one of the member, oldest first
 */
export function explain(
  memberId: string,
  channel: ContentChannel,
  products: readonly Product[],
  subscriptions: readonly MemberSubscription[],
  at: number,
) {
  const { hasAccess, validUntil, grantedBy } = channelAccess(channel, subscriptions, at);
  const reasons = subscriptions.map((subscription) => reasonOf(subscription, channel, at));
  return {
    memberId,
    channel: {
      id: channel.id,
      name: channel.name,
      products: products.filter(({ id }) => channel.productIds.includes(id)),
    },
    at: isoTime(at),
    hasAccess,
    validUntil: isoTimeOrNull(validUntil),
    grantedBy,
    summary: summaryOf(channel, grantedBy, reasons),
    subscriptions: reasons,
  };
}

type SubscriptionReason = ReturnType<typeof reasonOf>;

/** How one subscription bears on a channel, and the product that ties its package to it; null if none does. */
function reasonOf(subscription: MemberSubscription, channel: ContentChannel, at: number) {
  const product = subscription.products.find(({ id }) => channel.productIds.includes(id)) ?? null;
  const { subscriptionId, packageId, packageName, createdAt, activatedAt, expiresAt, endedAt } = subscription;
  return {
    subscriptionId,
    packageId,
    packageName,
    verdict: verdictOf(subscription, product, at),
    product,
    createdAt: isoTime(createdAt),
    activatedAt: isoTimeOrNull(activatedAt),
    expiresAt: isoTimeOrNull(expiresAt),
    endedAt: isoTimeOrNull(endedAt),
  };
}

function verdictOf(subscription: MemberSubscription, product: Product | null, at: number): Verdict {
  const { createdAt, activatedAt, expiresAt, endedAt } = subscription;
  if (product === null) return 'other_products';
  if (isActive(subscription, at)) return 'grants';
  if (endedAt !== null && at >= endedAt) return 'ended';
  if (at < createdAt) return 'not_ordered';
  if (activatedAt === null || expiresAt === null) return 'not_paid';
  return at < activatedAt ? 'not_yet' : 'over';
}

function summaryOf(
  channel: ContentChannel,
  grantedBy: Grant | null,
  reasons: readonly SubscriptionReason[],
): string {
  if (channel.productIds.length === 0) return 'No product opens this channel, so it is closed to everybody.';
  const granting = reasons.find(({ subscriptionId }) => subscriptionId === grantedBy?.subscriptionId);
  if (granting !== undefined) {
    const { subscriptionId, packageName, expiresAt } = granting;
    return `Open until ${expiresAt}: subscription ${subscriptionId} to ${packageName} has a product of this channel.`;
  }
  if (reasons.length === 0) return 'Closed: the member has no subscription.';
  // The nearest miss tells most: a subscription that has the product, the newest of them.
  const nearest = reasons.findLast(({ product }) => product !== null);
  if (nearest === undefined) return 'Closed: no package of the member has a product of this channel.';
  return `Closed: subscription ${nearest.subscriptionId} to ${nearest.packageName} has the product, but ${butOf(nearest)}.`;
}

function butOf({ verdict, createdAt, activatedAt, expiresAt, endedAt }: SubscriptionReason): string {
  switch (verdict) {
    case 'ended':
      return `it was ended at ${endedAt}`;
    case 'not_ordered':
      return `it was ordered at ${createdAt}`;
    case 'not_paid':
      return 'it waits for a payment';
    case 'not_yet':
      return `it begins at ${activatedAt}`;
    case 'over':
      return `it was over at ${expiresAt}`;
    case 'grants':
    case 'other_products':
      throw new Error(`a channel that is closed for the reason ${verdict}`);
  }
}
