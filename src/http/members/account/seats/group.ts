// What the pages of the holder of seats share: where they are, and the subscription that an address names.
import { isActive, type Subscription } from '../../../../core/access/subscription.ts';
import { type OpenedGroup, openOwnSeats } from '../../../../operations/access/seats.ts';
import { withSeats } from '../../../../storage/access/seat-group.ts';
import type { Tx } from '../../../../storage/store.ts';
import type { Answer } from '../../../pages/guarded-page.ts';
import { sendProblem } from '../../../pages/problem.ts';
import type { Visit } from '../page.ts';

interface Numbered {
  readonly subscriptionId: number;
}

/** Where the seats of a subscription are given. */
export const seatsUrl = ({ subscriptionId }: Numbered) => `/account/seats/${subscriptionId}`;

/** Where the seats of a subscription are given; null of one that has none, or gives no access. */
export async function seatsOfRunning(
  tx: Tx,
  subscription: Subscription | null,
  now: number,
): Promise<string | null> {
  if (subscription === null || !isActive(subscription, now)) return null;
  const { tenantId, subscriptionId } = subscription;
  const grouped = await withSeats(tx, tenantId, [subscriptionId]);
  return grouped.has(subscriptionId) ? seatsUrl(subscription) : null;
}

/** Where its holder says who takes one without an invitation. */
export const waysUrl = (group: Numbered) => `${seatsUrl(group)}/ways`;

/** The seats that the address of a page names; null unless they are the member's own (GA1). */
export async function openedAt(tx: Tx, { request, member, deps }: Visit): Promise<OpenedGroup | null> {
  const { subscription } = request.params as { subscription: string };
  if (!/^\d{1,15}$/.test(subscription)) return null;
  return openOwnSeats(tx, member, Number(subscription), deps.clock());
}

export const notFound =
  ({ reply, language }: Visit): Answer =>
  () =>
    sendProblem(reply, 'notFound', { language });
