// How a subscription moved, as the reason of its event in the audit says it.
import { type SubscriptionState, subscriptionMachine } from '../access/subscription.ts';

/** The state that a subscription had, null where it begins, and the one that it has. */
export interface SubscriptionMove {
  readonly from: SubscriptionState | null;
  readonly to: SubscriptionState;
}

const states = [...subscriptionMachine.states.keys()] as readonly SubscriptionState[];

/** Such as "active, then cancelled", or "begun, pending". */
export const reasonOfMove = ({ from, to }: SubscriptionMove): string =>
  from === null ? `begun, ${to}` : `${from}, then ${to}`;

/** The move that a reason was written of; null where it is none. */
export function moveOfReason(reason: string): SubscriptionMove | null {
  const moves = [null, ...states].flatMap((from) => states.map((to) => ({ from, to })));
  return moves.find((move) => reasonOfMove(move) === reason) ?? null;
}
