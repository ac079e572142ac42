// The ways in that a member has, of which the last one stays.
import type { SignInWay } from '../strength.ts';

/** A way in of a member. */
export interface WayIn {
  readonly way: SignInWay;
  /** Which one, if a member may have several; null if there can be only one. */
  readonly id: string | null;
}

/** Whether a member could not sign in any more without a way in: it cannot be removed (decision 46). */
export function isLastWayIn(ways: readonly WayIn[], removed: WayIn): boolean {
  return ways.every(({ way, id }) => way === removed.way && id === removed.id);
}
