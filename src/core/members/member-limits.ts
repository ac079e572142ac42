/** How far a member has come with the limits that count members, and until when each keeps the member out. */
import { signInLimit, wrongUserCodes } from '../limits.ts';
import { blockedUntil, type SignInFailures } from './sign-in-limit.ts';

export const memberLimitNames = ['failed_sign_ins', 'wrong_current_passwords', 'wrong_user_codes'] as const;

/** A limit as it stands for one member. Times are ms since the epoch. */
export interface MemberLimit {
  readonly limit: (typeof memberLimitNames)[number];
  /** How many count now. */
  readonly counted: number;
  /** From how many on the member has to wait; null is no limit. */
  readonly allowed: number | null;
  /** null where the member need not wait. */
  readonly lockedUntil: number | null;
}

/**
 * The limit of failed sign-ins, or of wrong current passwords on the account pages. A browser that the member
 * has used before passes the first (promise 7, A6).
 */
export function failuresLimit(
  limit: 'failed_sign_ins' | 'wrong_current_passwords',
  failed: SignInFailures | null,
  now: number,
  allowed: number | null = signInLimit.failures,
): MemberLimit {
  const counts = failed !== null && now - failed.lastFailedAt < signInLimit.memory;
  const until = blockedUntil(failed, now, allowed);
  return {
    limit,
    counted: counts ? failed.failures : 0,
    allowed,
    lockedUntil: until > now ? until : null,
  };
}

/** The limit of wrong user codes (decision 32). @param enteredAt when those that count were entered, oldest first */
export function userCodesLimit(enteredAt: readonly number[], allowed: number | null): MemberLimit {
  const counted = enteredAt.length;
  // The member may go on when so many have become too old that fewer than allowed are left.
  const last = allowed === null || counted < allowed ? undefined : enteredAt[counted - allowed];
  return {
    limit: 'wrong_user_codes',
    counted,
    allowed,
    lockedUntil: last === undefined ? null : last + wrongUserCodes.window,
  };
}
