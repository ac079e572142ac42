import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { countingWindow } from '../../core/limits.ts';
import { maySignIn } from '../../core/members/member.ts';
import { blockedUntil, failedAgain, hashEmail } from '../../core/members/sign-in-limit.ts';
import { isHashable } from '../../secrets/password.ts';
import { isKnownBrowser } from '../../storage/members/known-browser.ts';
import { findMemberByEmail, type MemberWithPassword } from '../../storage/members/member.ts';
import { findSignInFailures, saveSignInFailures } from '../../storage/members/sign-in-failure.ts';
import type { Tx } from '../../storage/store.ts';
import { addressKey, shareOf } from '../address.ts';
import { transactionOf } from '../audit.ts';
import { browserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';

/** A member whose address and password were right. */
export interface VerifiedMember extends MemberWithPassword {
  /** A hash of today's strength, where the stored one is weaker. */
  readonly newHash: string | null;
}

export type CheckedCredentials =
  | { readonly kind: 'right'; readonly verified: VerifiedMember }
  /** With the account that has the address, and why, for the audit alone. */
  | { readonly kind: 'wrong'; readonly memberId: string | null; readonly reason: string }
  /** Too many failures, of this account or from this address; seconds until it may be tried again. */
  | { readonly kind: 'too-many'; readonly retryAfter: number; readonly limitKey: string };

/**
 * Checks an address and a password. Every no takes as long as another and leaves the same traces: an unknown
 * address, a wrong password and a disabled account cannot be told apart (A1).
 */
export async function checkCredentials(
  request: FastifyRequest,
  email: string,
  password: string,
  deps: Deps,
): Promise<CheckedCredentials> {
  const { tenant } = request;
  const { passwords, clock, rateLimiter } = deps;
  const key = `sign-in ${tenant.id} ${addressKey(request.address)}`;
  const { failedSignInsPerAddressAndMinute: limit } = tenant.limits;
  const wait = rateLimiter.look(key, limit, countingWindow.minute);
  if (wait !== null) return { kind: 'too-many', retryAfter: wait, limitKey: key };

  const { found, retryAfter } = await transactionOf(request, deps, async (tx) => {
    const found = await findMemberByEmail(tx, tenant.id, email);
    return { found, retryAfter: await waitOf(tx, request, email, found, clock()) };
  });
  const share = shareOf(request);
  const limitKey = hashEmail(email);
  if (retryAfter !== null) return { kind: 'too-many', retryAfter, limitKey };

  const isHashed =
    isHashable(password) && (await passwords.verify(password, found?.passwordHash ?? null, share));
  const isRight = isHashed && maySignIn(found?.member ?? null, clock());
  if (!isRight) rateLimiter.take(key, limit, countingWindow.minute);
  const turnedAway = await transactionOf(request, deps, async (tx) => {
    // Whoever sends a hundred guesses at once hears of no more of them than one who sends them in turn.
    const wait = await waitOf(tx, request, email, found, clock());
    if (wait !== null || isRight) return wait;
    const emailHash = hashEmail(email);
    const failed = await findSignInFailures(tx, tenant.id, emailHash);
    await saveSignInFailures(tx, tenant.id, emailHash, failedAgain(failed, clock()));
    return null;
  });
  if (turnedAway !== null) return { kind: 'too-many', retryAfter: turnedAway, limitKey };
  if (found === null) return { kind: 'wrong', memberId: null, reason: 'no account has the address' };
  if (!isRight) {
    const reason = isHashed ? 'the account may not be used' : 'the password is wrong';
    return { kind: 'wrong', memberId: found.member.id, reason };
  }
  const isWeak = passwords.isWeak(found.passwordHash);
  const newHash = isWeak ? await passwords.hash(password, share) : null;
  return { kind: 'right', verified: { ...found, newHash } };
}

/** The seconds until an account may be tried again by this browser; null if it may be now. */
async function waitOf(
  tx: Tx,
  request: FastifyRequest,
  email: string,
  found: MemberWithPassword | null,
  now: number,
): Promise<number | null> {
  const { id, limits } = request.tenant;
  const failed = await findSignInFailures(tx, id, hashEmail(email));
  const until = blockedUntil(failed, now, limits.failedSignInsPerAccount);
  if (until <= now) return null;
  // A browser the member has used before passes: nobody can lock members out of their own devices.
  const browser = sha256(browserCookie(request));
  const isKnown = found !== null && (await isKnownBrowser(tx, found.member.id, browser));
  return isKnown ? null : Math.ceil((until - now) / 1_000);
}
