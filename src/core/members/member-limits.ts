/** The failed sign-ins of a member, how far limits that count members are reached, and until when each keeps one out. */
import { sha256 } from '../hash.ts';
import { signInLimit, wrongUserCodes } from '../limits.ts';
import { clockTolerance } from '../operators/limits.ts';
import { wrongSecondFactors } from './limits.ts';
import { normaliseEmail } from './member.ts';

/** The failed sign-ins of one address since the last good one. */
export interface SignInFailures {
  readonly failures: number;
  readonly lastFailedAt: number;
}

/** How an address is kept in the list of failures: an unknown one may be any person's. */
export function hashEmail(email: string): string {
  return sha256(normaliseEmail(email));
}

/** How the wrong current passwords on the pages of an account are kept in that list. */
export function hashAccountPages(memberId: string): string {
  return sha256(`account pages of ${memberId}`);
}

/**
 * Until when an address may not be tried again: after five failures a minute, doubled by each further one to
 * at most fifteen, and never for good (security, Defaults; A6).
 *
 * A failure that lies further ahead than the clocks of processes differ was written before the clock was set back: it
 * is not known how long ago it was, and to wait for its time to come again would make the wait as long as the step.
 *
 * @param now ms since the epoch
 * @param allowed how many failures the tenant allows before the first wait; null is no limit
 * @param longestWait ms
 * @returns ms since the epoch; 0 if it may be tried now and always could
 */
export function blockedUntil(
  failed: SignInFailures | null,
  now: number,
  allowed: number | null = signInLimit.failures,
  longestWait: number = signInLimit.longestWait,
): number {
  if (failed === null || allowed === null || failed.failures < allowed) return 0;
  if (failed.lastFailedAt > now + clockTolerance) return 0;
  const doublings = Math.min(failed.failures - allowed, 10);
  return failed.lastFailedAt + Math.min(signInLimit.firstWait * 2 ** doublings, longestWait);
}

/** The same of a second factor: a guesser of it has proven the first one, and waits longer (SF24). */
export const factorBlockedUntil = (failed: SignInFailures | null, now: number): number =>
  blockedUntil(failed, now, wrongSecondFactors.failures, wrongSecondFactors.longestWait);

/** How many failures count now: after the time that they are remembered for (ms) none does. */
function counting(failed: SignInFailures | null, now: number, memory: number): number {
  return failed !== null && now - failed.lastFailedAt < memory ? failed.failures : 0;
}

/** One failure more. @param memory ms */
export function failedAgain(
  failed: SignInFailures | null,
  now: number,
  memory: number = signInLimit.memory,
): SignInFailures {
  return { failures: counting(failed, now, memory) + 1, lastFailedAt: now };
}

/** The same of a second factor: a day of rest begins nothing anew (SF24). */
export const factorFailedAgain = (failed: SignInFailures | null, now: number): SignInFailures =>
  failedAgain(failed, now, wrongSecondFactors.memory);

/**
 * The count without a guess that was counted ahead and never looked at, since there was no place to judge it.
 *
 * @param before what stood when it was counted
 * @param counted what stood with it
 * @param stored what stands now: others may have been counted since, or all forgotten by one that was right
 * @returns what is to stand; null for no row
 */
export function takenBack(
  before: SignInFailures | null,
  counted: SignInFailures,
  stored: SignInFailures | null,
): SignInFailures | null {
  if (stored === null) return null;
  const isLast = stored.failures === counted.failures && stored.lastFailedAt === counted.lastFailedAt;
  if (isLast) return before;
  return stored.failures > 1 ? { ...stored, failures: stored.failures - 1 } : null;
}

export const memberLimitNames = [
  'failed_sign_ins',
  'wrong_current_passwords',
  'wrong_second_factors',
  'wrong_user_codes',
] as const;

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
 * The limit of failed sign-ins, of wrong current passwords on the account pages, or of a wrong second factor. A browser that the member
 * has used before passes the first (promise 7, A6).
 */
export function failuresLimit(
  limit: Exclude<MemberLimit['limit'], 'wrong_user_codes'>,
  failed: SignInFailures | null,
  now: number,
  allowed: number | null = signInLimit.failures,
): MemberLimit {
  const isFactor = limit === 'wrong_second_factors';
  const until = isFactor ? factorBlockedUntil(failed, now) : blockedUntil(failed, now, allowed);
  const counted = counting(failed, now, isFactor ? wrongSecondFactors.memory : signInLimit.memory);
  return { limit, counted, allowed, lockedUntil: until > now ? until : null };
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
