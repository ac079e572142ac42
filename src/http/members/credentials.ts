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
import type { Counted } from '../limits/limit-reached.ts';

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
  | { readonly kind: 'too-many'; readonly retryAfter: number; readonly limitKey: Counted };

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
  const attempt = await beginAttempt(request, email, deps);
  const early = attempt.count('look') ?? attempt.blocked;
  if (early !== null) return early;

  const { passwords, clock } = deps;
  const { found } = attempt;
  const share = shareOf(request);
  const isHashed =
    isHashable(password) && (await passwords.verify(password, found?.passwordHash ?? null, share));
  const refused = admission(found?.member ?? null, clock());
  const isRight = isHashed && refused === null;
  // Whoever sends a hundred guesses at once hears of no more of them than one who sends them in turn.
  const late =
    attempt.count(isRight ? 'look' : 'take') ?? (await endAttempt(request, attempt, isRight, deps));
  if (late !== null) return late;
  if (found === null) return { kind: 'wrong', memberId: null, reason: 'no account has the address' };
  if (!isHashed) return { kind: 'wrong', memberId: found.member.id, reason: 'the password is wrong' };
  if (refused !== null) return { kind: 'wrong', memberId: found.member.id, reason: refused };
  const newHash = passwords.isWeak(found.passwordHash) ? await passwords.hash(password, share) : null;
  return { kind: 'right', verified: { ...found, newHash } };
}

type TooMany = Extract<CheckedCredentials, { kind: 'too-many' }>;

/** A password on its way to be checked, and who it counts for. */
interface Attempt {
  /** The account that has the address. */
  readonly found: MemberWithPassword | null;
  /** Whether the member has used this browser before. */
  readonly isKnown: boolean;
  readonly email: string;
  /** What the account's own failures say. */
  readonly blocked: TooMany | null;
  /** What the failures from this browser or address say; `take` counts one more. */
  count(how: 'look' | 'take'): TooMany | null;
}

async function beginAttempt(
  request: FastifyRequest,
  email: string,
  { store, clock, rateLimiter }: Deps,
): Promise<Attempt> {
  const { tenant } = request;
  const browser = sha256(browserCookie(request));
  const { found, isKnown, blocked } = await transactionOf(request, { store, clock }, async (tx) => {
    const found = await findMemberByEmail(tx, tenant.id, email);
    const isKnown = await isKnownBrowser(tx, found?.member.id ?? '', browser);
    return { found, isKnown, blocked: await blockOf(tx, request, { found, email, isKnown }, clock()) };
  });
  const source = isKnown ? `${hashEmail(email)} ${browser}` : shareOf(request).address;
  const key = `sign-in ${tenant.id} ${source}`;
  const limitKey = { key, memberId: found?.member.id ?? null };
  const count = (how: 'look' | 'take'): TooMany | null => {
    const { failedSignInsPerAddressAndMinute: limit } = tenant.limits;
    const retryAfter = rateLimiter[how](key, limit, countingWindow.minute);
    return retryAfter === null ? null : { kind: 'too-many', retryAfter, limitKey };
  };
  return { found, isKnown, email, blocked, count };
}

/** Counts a failure for the account. @returns why not even this attempt is answered, where others failed meanwhile */
async function endAttempt(
  request: FastifyRequest,
  attempt: Attempt,
  isRight: boolean,
  deps: Deps,
): Promise<TooMany | null> {
  return transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const blocked = await blockOf(tx, request, attempt, now);
    if (blocked !== null || isRight) return blocked;
    const { id } = request.tenant;
    const key = hashEmail(attempt.email);
    const failed = await findSignInFailures(tx, id, key);
    await saveSignInFailures(tx, id, key, failedAgain(failed, now));
    return null;
  });
}

/** Until when an account may not be tried; null if it may be now, or the browser is known. */
async function blockOf(
  tx: Tx,
  { tenant: { id, limits } }: FastifyRequest,
  { found, email, isKnown }: Pick<Attempt, 'found' | 'email' | 'isKnown'>,
  now: number,
): Promise<TooMany | null> {
  const key = hashEmail(email);
  const limitKey = { key, memberId: found?.member.id ?? null };
  const until = blockedUntil(await findSignInFailures(tx, id, key), now, limits.failedSignInsPerAccount);
  if (isKnown || until <= now) return null;
  return { kind: 'too-many', retryAfter: Math.ceil((until - now) / 1_000), limitKey };
}
