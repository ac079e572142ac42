// The ways in that a member has. The last one stays.
import type { SignInWay } from '../strength.ts';
import type { Tenant } from '../tenant.ts';
import type { Member } from './member.ts';

/** A way in of a member. */
export interface WayIn {
  readonly way: SignInWay;
  /** Which one, if a member may have several; null if there can be only one. */
  readonly id: string | null;
}

/**
 * Whether a member signs in with a password: not where the tenant has codes by mail in its place. Administrators have theirs
 * everywhere, for the portal.
 */
export const usesPassword = (
  { emailCodes }: Pick<Tenant, 'emailCodes'>,
  { userType }: Pick<Member, 'userType'>,
): boolean => emailCodes !== 'instead' || userType !== 'member';

/** Whether a member could not sign in any more without a way in: it cannot be removed (decision 46). */
export function isLastWayIn(ways: readonly WayIn[], removed: WayIn): boolean {
  return ways.every(({ way, id }) => way === removed.way && id === removed.id);
}
