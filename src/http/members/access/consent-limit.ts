// Limits how often a member answers consents.
import { consentAnswers } from '../../../core/access/limits.ts';
import { countingWindow } from '../../../core/limits.ts';
import { type RateLimiter, takeIn } from '../../../storage/memory/rate-limit.ts';
import type { Tx } from '../../../storage/store.ts';

/**
 * Counts that a member answered consents, in an app or on the account page. An answer that changes nothing
 * counts too: it costs the same.
 *
 * @returns null if it is allowed, else the seconds to wait
 */
export function takeConsentAnswer(tx: Tx, limiter: RateLimiter, memberId: string): number | null {
  return each((limit, window) => takeIn(tx, limiter.members, keyOf(memberId), limit, window));
}

/** The same answer without counting. */
export function lookConsentAnswer(limiter: RateLimiter, memberId: string): number | null {
  return each((limit, window) => limiter.members.look(keyOf(memberId), limit, window));
}

const keyOf = (memberId: string) => `consents ${memberId}`;

const each = (wait: (limit: number, window: number) => number | null) =>
  wait(consentAnswers.perMinute, countingWindow.minute) ?? wait(consentAnswers.perDay, countingWindow.day);
