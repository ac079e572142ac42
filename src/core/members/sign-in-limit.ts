// Limits failed sign-ins of an account or an address.
import { sha256 } from '../hash.ts';
import { signInLimit } from '../limits.ts';
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
 * A failure that lies ahead was written before the clock was set back: it is not known how long ago it was, and
 * to wait for its time to come again would make the wait as long as the step.
 *
 * @param now ms since the epoch
 * @param allowed how many failures the tenant allows before the first wait; null is no limit
 * @returns ms since the epoch; 0 if it may be tried now and always could
 */
export function blockedUntil(
  failed: SignInFailures | null,
  now: number,
  allowed: number | null = signInLimit.failures,
): number {
  if (failed === null || allowed === null || failed.failures < allowed || failed.lastFailedAt > now) return 0;
  const doublings = Math.min(failed.failures - allowed, 10);
  return failed.lastFailedAt + Math.min(signInLimit.firstWait * 2 ** doublings, signInLimit.longestWait);
}

/** One failure more; those of yesterday are forgotten. */
export function failedAgain(failed: SignInFailures | null, now: number): SignInFailures {
  const stillCounts = failed !== null && now - failed.lastFailedAt < signInLimit.memory;
  return { failures: (stillCounts ? failed.failures : 0) + 1, lastFailedAt: now };
}

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
