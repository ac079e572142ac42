import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { countingWindow } from '../../core/limits.ts';
import { maySignIn, normaliseEmail } from '../../core/members/member.ts';
import { blockedUntil, failedAgain } from '../../core/members/sign-in-limit.ts';
import { isHashable, isWeak } from '../../password.ts';
import { findMemberByEmail, type MemberWithPassword } from '../../storage/member.ts';
import { isKnownBrowser } from '../../storage/members/known-browser.ts';
import { findSignInFailures, saveSignInFailures } from '../../storage/members/sign-in-failure.ts';
import { addressKey } from '../address.ts';
import { browserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';

/** A member whose address and password were right. */
export interface VerifiedMember extends MemberWithPassword {
  /** A hash of today's strength, where the stored one is weaker. */
  readonly newHash: string | null;
}

export type CheckedCredentials =
  | { readonly kind: 'right'; readonly verified: VerifiedMember }
  | { readonly kind: 'wrong' }
  /** Too many failures, of this address or from this one; seconds until it may be tried again. */
  | { readonly kind: 'too-many'; readonly retryAfter: number };

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
  const { store, passwords, clock, rateLimiter } = deps;
  const key = `sign-in ${tenant.id} ${addressKey(request.ip)}`;
  const { failedSignInsPerAddressAndMinute: limit } = tenant.limits;
  const wait = rateLimiter.look(key, limit, countingWindow.minute);
  if (wait !== null) return { kind: 'too-many', retryAfter: wait };

  const emailHash = hashEmail(email);
  const { found, retryAfter } = await store.transaction(async (tx) => {
    const now = clock();
    const found = await findMemberByEmail(tx, tenant.id, email);
    const until = blockedUntil(await findSignInFailures(tx, tenant.id, emailHash));
    // A browser the member has used before passes: nobody can lock members out of their own devices.
    const browser = sha256(browserCookie(request));
    const isKnown = until > now && found !== null && (await isKnownBrowser(tx, found.member.id, browser));
    return { found, retryAfter: until > now && !isKnown ? Math.ceil((until - now) / 1_000) : null };
  });
  if (retryAfter !== null) return { kind: 'too-many', retryAfter };

  const isRight = isHashable(password) && (await passwords.verify(password, found?.passwordHash ?? null));
  if (found === null || !isRight || !maySignIn(found.member, clock())) {
    rateLimiter.take(key, limit, countingWindow.minute);
    await store.transaction(async (tx) => {
      const failed = await findSignInFailures(tx, tenant.id, emailHash);
      await saveSignInFailures(tx, tenant.id, emailHash, failedAgain(failed, clock()));
    });
    return { kind: 'wrong' };
  }
  const newHash = isWeak(found.passwordHash) ? await passwords.hash(password) : null;
  return { kind: 'right', verified: { ...found, newHash } };
}

/** How an address is kept in the list of failures: an unknown one may be anybody's. */
export function hashEmail(email: string): string {
  return sha256(normaliseEmail(email));
}
