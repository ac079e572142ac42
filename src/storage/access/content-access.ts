// What says which content channels are open to a member: her own subscriptions, and those in which she has a seat.
import { throughSeat } from '../../core/access/seats/seat.ts';
import type { MemberSubscription } from '../../core/access/subscription.ts';
import type { Member } from '../../core/members/member.ts';
import type { Tx } from '../store.ts';
import { listSeatsOfMember } from './seat.ts';
import { hasSeatGroups } from './seat-group.ts';
import { listSubscriptions, listSubscriptionsOf, listSubscriptionsToLookAt } from './subscription.ts';

type Whose = Pick<Member, 'tenantId' | 'id'>;

/** Every subscription that opens something to a member, or did: her own first, then those through her seats. */
export async function listAccess(tx: Tx, member: Whose): Promise<readonly MemberSubscription[]> {
  return [...(await listSubscriptions(tx, member.id)), ...(await listThroughSeats(tx, member))];
}

/** The same with no more of her own than say what a member has access to now (`listSubscriptionsToLookAt`). */
export async function listAccessToLookAt(
  tx: Tx,
  member: Whose,
  now: number,
  most: number,
): Promise<readonly MemberSubscription[]> {
  const own = await listSubscriptionsToLookAt(tx, member.id, now, most);
  return [...own, ...(await listThroughSeats(tx, member))];
}

/** What the seats of a member give her, or gave her. Where a tenant has no seats, no query is asked. */
async function listThroughSeats(tx: Tx, { tenantId, id }: Whose): Promise<readonly MemberSubscription[]> {
  if (!(await hasSeatGroups(tx, tenantId))) return [];
  const seats = await listSeatsOfMember(tx, id);
  if (seats.length === 0) return [];
  const ids = [...new Set(seats.map(({ subscriptionId }) => subscriptionId))];
  const subscriptions = await listSubscriptionsOf(tx, tenantId, ids);
  return seats.flatMap((seat) =>
    subscriptions
      .filter(({ subscriptionId }) => subscriptionId === seat.subscriptionId)
      .map((subscription) => throughSeat(subscription, seat)),
  );
}
