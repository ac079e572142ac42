import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { countingWindow } from '../../core/limits.ts';
import { type Member, maySignIn } from '../../core/members/member.ts';
import { hashEmail } from '../../core/members/sign-in-limit.ts';
import {
  beginGuess,
  type CountedGuess,
  type GuessCounter,
  takeGuessBack,
} from '../../operations/sign-in/guess.ts';
import { isHashable } from '../../secrets/password.ts';
import { isKnownBrowser } from '../../storage/members/known-browser.ts';
import {
  findMemberByEmail,
  type MemberWithPassword,
  slowestPasswordWork,
} from '../../storage/members/member.ts';
import type { Counters } from '../../storage/memory/rate-limit.ts';
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

/** What else is asked of a password, beyond being right. */
export interface Demands {
  readonly admission?: Admission;
  /** Counts the guess too, such as those at the account's own pages. */
  readonly counter?: GuessCounter;
}

/**
 * Checks an address and a password. Every no takes as long as another and leaves the same traces: an unknown
 * address, a wrong password and a disabled account cannot be told apart (A1).
 *
 * A guess is counted before it is looked at, and no longer counts once its account lets somebody in: a hundred
 * at once are looked at no more often than a hundred in turn (F1).
 *
 * A browser the member has used before is counted by itself: neither who guesses at the account nor who guesses
 * from the same address can lock members out of their own devices (promise 7, A6).
 */
export async function checkCredentials(
  request: FastifyRequest,
  email: string,
  password: string,
  deps: Deps,
  { admission = anyMember, counter }: Demands = {},
): Promise<CheckedCredentials> {
  const attempt = await beginAttempt(request, email, deps, counter);
  if (attempt.kind === 'too-many') return attempt;
  const { found, guess, source, work } = attempt;
  const takeBack = () => transactionOf(request, deps, (tx) => takeGuessBack(tx, request.tenant.id, guess));

  const { passwords, clock } = deps;
  const share = shareOf(request);
  const phc = found?.passwordHash ?? null;
  // The address counts when the hash begins and not before: many homes wait behind one (security, Defaults).
  const address = { late: null as TooMany | null };
  const mayBegin = () => {
    address.late = source.take();
    return address.late === null;
  };
  try {
    const isHashed =
      isHashable(password) && (await passwords.verify(password, phc, share, { mayBegin, work }));
    // One that is too long for any account counts like the others.
    if (!isHashable(password)) mayBegin();
    if (address.late !== null) {
      await takeBack();
      return address.late;
    }
    const refused = admission(found?.member ?? null, clock());
    if (found === null) return { kind: 'wrong', memberId: null, reason: 'no account has the address' };
    if (!isHashed) return { kind: 'wrong', memberId: found.member.id, reason: 'the password is wrong' };
    if (refused !== null) return { kind: 'wrong', memberId: found.member.id, reason: refused };
    source.giveBack();
    const newHash = passwords.isWeak(found.passwordHash) ? await passwords.hash(password, share) : null;
    return { kind: 'right', verified: { ...found, newHash } };
  } catch (error) {
    // No place was free to judge it.
    await takeBack();
    throw error;
  }
}

type TooMany = Extract<CheckedCredentials, { kind: 'too-many' }>;

/** A guess on its way to be judged, and who it counts for. */
interface Attempt {
  readonly kind: 'begun';
  /** The account that has the address. */
  readonly found: MemberWithPassword | null;
  /** What checking it takes, whoever's it is: as much as the slowest hash of the tenant, and no less than a new one. */
  readonly work: number;
  /** How it counts for the account. */
  readonly guess: CountedGuess;
  /** How it counts for the browser or address that it comes from. */
  readonly source: Source;
}

/** Counts the failures of a browser or an address in memory. */
interface Source {
  look(): TooMany | null;
  take(): TooMany | null;
  giveBack(): void;
}

/** Counts the guess for the account, unless it, or the address, has had too many. */
async function beginAttempt(
  request: FastifyRequest,
  email: string,
  { store, clock, rateLimiter, passwords }: Deps,
  counter: GuessCounter | undefined,
): Promise<Attempt | TooMany> {
  const { tenant } = request;
  const browser = sha256(browserCookie(request));
  return transactionOf(request, { store, clock }, async (tx) => {
    const found = await findMemberByEmail(tx, tenant.id, email);
    const isKnown = await isKnownBrowser(tx, found?.member.id ?? '', browser);
    const from = isKnown ? `${hashEmail(email)} ${browser}` : shareOf(request).address;
    const memberId = found?.member.id ?? null;
    const limitKey = { key: `sign-in ${tenant.id} ${from}`, memberId };
    const source = sourceOf(request, limitKey, rateLimiter);
    const early = source.look();
    if (early !== null) return early;
    const { failedSignInsPerAccount: allowed } = tenant.limits;
    const ofAccount = { key: hashEmail(email), allowed, passes: isKnown };
    const now = clock();
    const counters = [...(counter === undefined ? [] : [counter]), ofAccount];
    const begun = await beginGuess(tx, tenant.id, counters, now);
    if (begun.kind === 'counted') {
      const work = Math.max(await slowestPasswordWork(tx, tenant.id), passwords.work);
      return { kind: 'begun', found, guess: begun.guess, source, work };
    }
    const retryAfter = Math.ceil((begun.until - now) / 1_000);
    return { kind: 'too-many', retryAfter, limitKey: { key: begun.key, memberId } };
  });
}

function sourceOf({ tenant }: FastifyRequest, limitKey: Counted, rateLimiter: Counters): Source {
  const { failedSignInsPerAddressAndMinute: limit } = tenant.limits;
  const { minute } = countingWindow;
  const inWords = (retryAfter: number | null): TooMany | null =>
    retryAfter === null ? null : { kind: 'too-many', retryAfter, limitKey };
  return {
    look: () => inWords(rateLimiter.look(limitKey.key, limit, minute)),
    take: () => inWords(rateLimiter.take(limitKey.key, limit, minute)),
    giveBack: () => rateLimiter.giveBack(limitKey.key, minute),
  };
}
