/** A subscription that a member had elsewhere, as it is here: what became of it happens again, at the times at which it did. */
import {
  beginSubscription,
  cancelSubscription,
  endSubscription,
  type Subscription,
  standingOf,
} from '../access/subscription.ts';

/** @returns null if it could not have come so */
export function movedSubscription(
  facts: Parameters<typeof beginSubscription>[0],
  createdAt: number,
  {
    cancelledAt,
    endedAt,
  }: { readonly cancelledAt?: number | undefined; readonly endedAt?: number | undefined },
  now: number,
): Subscription | null {
  const steps = [
    ...(cancelledAt === undefined ? [] : [{ change: cancelSubscription, at: cancelledAt }]),
    ...(endedAt === undefined ? [] : [{ change: endSubscription, at: endedAt }]),
  ];
  if (steps.length === 0) return beginSubscription(facts, createdAt, now);
  let subscription = beginSubscription(facts, createdAt, createdAt);
  for (const { change, at } of steps) {
    const { answer, writes } = change(subscription, at);
    const [moved] = writes;
    if (!answer || moved?.write !== 'moveSubscription') return null;
    subscription = moved.subscription;
  }
  return { ...subscription, state: standingOf(subscription, now) };
}
