// A subscription as the account pages show it, and whether they lead to what else could be had.
import {
  type MemberSubscription,
  type SubscriptionState,
  standingOf,
} from '../../../../core/access/subscription.ts';
import { hasOffered } from '../../../../storage/access/package.ts';
import type { Tx } from '../../../../storage/store.ts';
import { isFromReader } from '../../../cookies.ts';
import { describePrice } from '../../checkout/description.ts';
import { dayOf } from '../../times.ts';
import type { Visit } from '../page.ts';
import { seatsUrl } from '../seats/group.ts';

/** Whether the account names prices and leads to the checkout: for an app of a store that forbids it, it must not (pages 12). */
export async function offersPlans(tx: Tx, { request, deps }: Visit): Promise<boolean> {
  if (isFromReader(request)) return false;
  const payments = deps.payments.map(({ name }) => name);
  return payments.length > 0 && hasOffered(tx, request.tenant.id, payments);
}

/** What a standing is called, and how it looks. */
const tags = {
  active: { name: 'active', tone: 'good' },
  cancelled: { name: 'cancelled', tone: 'care' },
  pending: { name: 'beginning', tone: '' },
  expired: { name: 'ended', tone: '' },
  ended: { name: 'ended', tone: '' },
} as const satisfies Readonly<Record<SubscriptionState, unknown>>;
const waiting = { name: 'waiting', tone: 'care' } as const;

/**
 * A subscription in one line: what it is, what comes next, and what that costs, where that may be said.
 *
 * @param grouped the subscriptions that have seats
 */
export function planOf(
  visit: Visit,
  subscription: MemberSubscription,
  isSelling: boolean,
  grouped: ReadonlySet<number>,
) {
  const { language, deps } = visit;
  const standing = standingOf(subscription, deps.clock());
  const isRenewed = standing === 'active' && subscription.renews;
  const isWaiting = standing === 'pending' && subscription.activatedAt === null;
  const { name, tone } = isWaiting ? waiting : tags[standing];
  return {
    id: subscription.subscriptionId,
    name: subscription.packageName,
    standing,
    tag: language.t(`account.subscriptions.tag.${name}`),
    tone,
    seats: grouped.has(subscription.subscriptionId)
      ? { href: seatsUrl(subscription), text: isRunning(standing) ? 'people' : 'manage' }
      : null,
    about: [
      nextOf(visit, subscription, standing),
      ...(isRenewed && isSelling ? [describePrice(subscription, language)] : []),
    ],
  };
}

/** Whether a subscription gives access: people can be invited to its seats. */
const isRunning = (standing: SubscriptionState): boolean => standing === 'active' || standing === 'cancelled';

/** What happens to a subscription next, or happened last. */
function nextOf(visit: Visit, subscription: MemberSubscription, standing: SubscriptionState): string {
  const { language, deps } = visit;
  const { activatedAt, expiresAt, endedAt, renews } = subscription;
  const on = (name: string, time: number | null) =>
    language.t(`account.subscriptions.standing.${name}`, {
      date: dayOf(time ?? deps.clock(), language),
    });
  switch (standing) {
    case 'pending':
      return activatedAt === null
        ? language.t('account.subscriptions.standing.waiting')
        : on('beginning', activatedAt);
    case 'active':
      return on(renews ? 'renewing' : 'ending', expiresAt);
    case 'cancelled':
      return on('ending', expiresAt);
    case 'expired':
      return on('ended', expiresAt);
    case 'ended':
      return on('ended', endedAt);
  }
}
