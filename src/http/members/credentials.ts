import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { countingWindow } from '../../core/limits.ts';
import { type Member, maySignIn } from '../../core/members/member.ts';
import { blockedUntil, failedAgain, hashEmail } from '../../core/members/sign-in-limit.ts';
import { isHashable } from '../../secrets/password.ts';
import { isKnownBrowser } from '../../storage/members/known-browser.ts';
import { findMemberByEmail, type MemberWithPassword } from '../../storage/members/member.ts';
import { findSignInFailures, saveSignInFailures } from '../../storage/members/sign-in-failure.ts';
import type { Tx } from '../../storage/store.ts';
import { shareOf } from '../address.ts';
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

/** What a right password lets in, and in words for the audit why not. @returns null if it may come in */
export type Admission = (member: Member | null, now: number) => string | null;

export const anyMember: Admission = (member, now) =>
  maySignIn(member, now) ? null : 'the account may not be used';

/**
 * Checks an address and a password. Every no takes as long as another and leaves the same traces: an unknown
 * address, a wrong password and a disabled account cannot be told apart (A1).
 *
 * A browser the member has used before is counted by itself: neither who guesses at the account nor who guesses
 * from the same address can lock members out of their own devices (promise 7, A6).
 */
export async function checkCredentials(
  request: FastifyRequest,
  email: string,
  password: string,
  deps: Deps,
  admission: Admission = anyMember,
): Promise<CheckedCredentials> {
  const { tenant } = request;
  const { passwords, clock, rateLimiter } = deps;
  const { found, isKnown, retryAfter } = await transactionOf(request, deps, async (tx) => {
    const found = await findMemberByEmail(tx, tenant.id, email);
    const isKnown = await isKnownBrowser(tx, found?.member.id ?? '', sha256(browserCookie(request)));
    return { found, isKnown, retryAfter: await waitOf(tx, request, email, isKnown, clock()) };
  });
  const share = shareOf(request);
  const limitKey = hashEmail(email);
  const source = isKnown ? `${limitKey} ${sha256(browserCookie(request))}` : share.address;
  const ask = (count: 'look' | 'take'): CheckedCredentials | null => {
    const key = `sign-in ${tenant.id} ${source}`;
    const { failedSignInsPerAddressAndMinute: limit } = tenant.limits;
    const wait = rateLimiter[count](key, limit, countingWindow.minute);
    return wait === null ? null : { kind: 'too-many', retryAfter: wait, limitKey: key };
  };
  const early = ask('look');
  if (early !== null) return early;
  if (retryAfter !== null) return { kind: 'too-many', retryAfter, limitKey };

  const isHashed =
    isHashable(password) && (await passwords.verify(password, found?.passwordHash ?? null, share));
  const refused = admission(found?.member ?? null, clock());
  const isRight = isHashed && refused === null;
  // Whoever sends a hundred guesses at once hears of no more of them than one who sends them in turn.
  const late = ask(isRight ? 'look' : 'take');
  if (late !== null) return late;
  const turnedAway = await transactionOf(request, deps, async (tx) => {
    const wait = await waitOf(tx, request, email, isKnown, clock());
    if (wait !== null || isRight) return wait;
    const failed = await findSignInFailures(tx, tenant.id, limitKey);
    await saveSignInFailures(tx, tenant.id, limitKey, failedAgain(failed, clock()));
    return null;
  });
  if (turnedAway !== null) return { kind: 'too-many', retryAfter: turnedAway, limitKey };
  if (found === null) return { kind: 'wrong', memberId: null, reason: 'no account has the address' };
  if (!isHashed) return { kind: 'wrong', memberId: found.member.id, reason: 'the password is wrong' };
  if (refused !== null) return { kind: 'wrong', memberId: found.member.id, reason: refused };
  const isWeak = passwords.isWeak(found.passwordHash);
  const newHash = isWeak ? await passwords.hash(password, share) : null;
  return { kind: 'right', verified: { ...found, newHash } };
}

/** The seconds until an account may be tried again; null if it may be now, or the browser is known. */
async function waitOf(
  tx: Tx,
  { tenant: { id, limits } }: FastifyRequest,
  email: string,
  isKnown: boolean,
  now: number,
): Promise<number | null> {
  const failed = await findSignInFailures(tx, id, hashEmail(email));
  const until = blockedUntil(failed, now, limits.failedSignInsPerAccount);
  return isKnown || until <= now ? null : Math.ceil((until - now) / 1_000);
}
