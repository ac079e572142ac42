/** Checks an address and a password within the limits of guessing, at the sign-in and where a page asks once more. */

import { type HashWork, ownUnit, withWork } from '../../core/hashes/hash-work.ts';
import { countingWindow, signInLimit } from '../../core/limits.ts';
import { type Member, maySignIn } from '../../core/members/member.ts';
import { hashAccountPages, hashEmail } from '../../core/members/member-limits.ts';
import { wrongPassword } from '../../core/operators/audit-event.ts';
import type { Share } from '../../secrets/fair-queue.ts';
import { isHashable, type Passwords } from '../../secrets/password.ts';
import { clearSignInFailures } from '../../storage/members/guesses/sign-in-failure.ts';
import { isKnownBrowser } from '../../storage/members/known-browser.ts';
import {
  findMemberByEmail,
  type MemberWithPassword,
  updatePasswordHash,
} from '../../storage/members/member.ts';
import { mostPasswordWork } from '../../storage/members/password-work.ts';
import type { Counted, Counters } from '../../storage/memory/rate-limit.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { beginGuess, type CountedGuess, type GuessCounter, keepGuess, takeGuessBack } from './guess.ts';

/** A member whose address and password were right. */
export interface VerifiedMember extends MemberWithPassword {
  /** A hash of today's strength, where the stored one is weaker. */
  readonly newHash: string | null;
}

export type CheckedCredentials =
  | { readonly kind: 'right'; readonly verified: VerifiedMember }
  /** The account with the address and the reason are for the audit alone. */
  | { readonly kind: 'wrong'; readonly memberId: string | null; readonly reason: string }
  | TooManyGuesses;

/** Too many failures, of this account or from this address. */
export interface TooManyGuesses {
  readonly kind: 'too-many';
  /** Seconds until it may be tried again. */
  readonly retryAfter: number;
  readonly limitKey: Counted;
}

/** Says until when (ms) no more guesses are looked at. */
export const tooManyUntil = (until: number, now: number, limitKey: Counted): TooManyGuesses => ({
  kind: 'too-many',
  retryAfter: Math.ceil((until - now) / 1_000),
  limitKey,
});

/** What a right password lets in, and in words for the audit why not. @returns null if it may come in */
export type Admission = (member: Member | null, now: number) => string | null;

export const anyMember: Admission = (member, now) =>
  maySignIn(member, now) ? null : 'the account may not be used';

/** The guesser, as guesses are counted. */
export interface Guesser {
  /** The hash of the browser's cookie. */
  readonly browser: string;
  readonly share: Share;
}

export interface CredentialDeps {
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly rateLimiter: Counters;
}

type StoreDeps = CredentialDeps & { readonly store: Pick<Store, 'transaction'> };

/** An address and a password that were typed, and for whom the work is done. */
export interface Typed {
  readonly email: string;
  readonly password: string;
  readonly share: Share;
}

/** Looks further where no account has an address. */
export interface OldMembers {
  /** Ends when a no may be given: all of them at the tenant take as long, whatever was done meanwhile. */
  readonly noMayCome: () => Promise<void>;
  /** Asks for an address, and takes its member in. */
  readonly ask: (typed: Typed) => Promise<Asked>;
}

export type Asked =
  | { readonly kind: 'moved'; readonly found: MemberWithPassword }
  /** In words for the audit: members are told what an unknown address is told. */
  | { readonly kind: 'no'; readonly reason: string };

/** Who may come in, where that is not every member; and where members are asked for who are not here yet. */
interface Beside {
  readonly admission?: Admission;
  readonly oldMembers?: OldMembers | null;
}

/**
 * Checks an address and a password. Every no takes as long as another and leaves the same traces: an unknown
 * address, a wrong password and a disabled account cannot be told apart (A1).
 *
 * A guess is counted before it is looked at, and no longer counts once its account lets the member in: a hundred
 * at once are looked at no more often than a hundred in turn (F1).
 *
 * A browser the member has used before is counted by itself: neither who guesses at the account nor who guesses
 * from the same address can lock members out of their own devices (promise 7, A6).
 */
export async function checkCredentials(
  tenant: OpenTenant,
  { email, password, guesser }: Readonly<{ email: string; password: string; guesser: Guesser }>,
  deps: StoreDeps,
  { admission = anyMember, oldMembers = null }: Beside = {},
): Promise<CheckedCredentials> {
  const attempt = await deps.store.transaction((tx) => beginAttempt(tx, tenant, email, guesser, deps));
  if (attempt.kind === 'too-many') return attempt;
  return judgeAttempt(attempt, password, deps, { admission, oldMembers });
}

/**
 * Begins to ask a member who is signed in for the password once more. Failures count against the sign-in limit,
 * and against one of the account's own pages, which no known browser passes: a thief of the session's cookie
 * has the browser's too.
 */
export function beginConfirmation(
  tx: Tx,
  tenant: OpenTenant,
  { id, email }: Member,
  guesser: Guesser,
  deps: CredentialDeps,
): Promise<Attempt | TooManyGuesses> {
  const own = { key: hashAccountPages(id), allowed: signInLimit.failures, passes: false };
  return beginAttempt(tx, tenant, email, guesser, deps, [own]);
}

/**
 * The member whose password was right, if it still is: while it was hashed another one may have been chosen, or the
 * account closed (F3).
 *
 * @param email the address of the account now
 */
async function findVerified(
  tx: Tx,
  { member: { id, tenantId, email: known }, passwordHash }: VerifiedMember,
  now: number,
  email = known,
): Promise<Member | null> {
  const found = await findMemberByEmail(tx, tenantId, email);
  const isSame = found?.member.id === id && found.passwordHash === passwordHash;
  return isSame && maySignIn(found.member, now) ? found.member : null;
}

/** Finishes what `beginConfirmation` began. @returns whether the password is still the one that was right */
export async function finishConfirmation(
  tx: Tx,
  { id, tenantId, email }: Member,
  verified: VerifiedMember,
  now: number,
): Promise<boolean> {
  if ((await findVerified(tx, verified, now, email))?.id !== id) return false;
  if (verified.newHash !== null) await updatePasswordHash(tx, { id, tenantId }, verified.newHash);
  await clearSignInFailures(tx, tenantId, hashAccountPages(id));
  await clearSignInFailures(tx, tenantId, hashEmail(email));
  return true;
}

/** A guess on its way to be judged, and the guesser that it counts for. */
export interface Attempt {
  readonly kind: 'begun';
  readonly tenantId: string;
  readonly share: Share;
  readonly email: string;
  /** The account that has the address. */
  readonly found: MemberWithPassword | null;
  /** What checking it takes, for every account: as much as the tenant's slowest hash of each kind, and no less than a new one. */
  readonly work: HashWork;
  /** How it counts for the account. */
  readonly guess: CountedGuess;
  /** How it counts for the browser or address that it comes from. */
  readonly source: ReturnType<typeof sourceOf>;
}

/** Counts the guess for the account, unless it, or the address, has had too many. */
async function beginAttempt(
  tx: Tx,
  tenant: OpenTenant,
  email: string,
  { browser, share }: Guesser,
  { clock, rateLimiter, passwords }: CredentialDeps,
  counters: readonly GuessCounter[] = [],
): Promise<Attempt | TooManyGuesses> {
  const found = await findMemberByEmail(tx, tenant.id, email);
  const isKnown = await isKnownBrowser(tx, found?.member.id ?? '', browser);
  const from = isKnown ? `${hashEmail(email)} ${browser}` : share.address;
  const memberId = found?.member.id ?? null;
  const source = sourceOf(tenant, { key: `sign-in ${tenant.id} ${from}`, memberId }, rateLimiter);
  const early = await source.look();
  if (early !== null) return early;
  const ofAccount = {
    key: hashEmail(email),
    allowed: tenant.limits.failedSignInsPerAccount,
    passes: isKnown,
  };
  const now = clock();
  const begun = await beginGuess(tx, tenant.id, [...counters, ofAccount], now);
  if (begun.kind === 'blocked') return tooManyUntil(begun.until, now, { key: begun.key, memberId });
  const kept = await mostPasswordWork(tx, tenant.id);
  const work = withWork(kept, { unit: ownUnit, amount: passwords.work });
  return { kind: 'begun', tenantId: tenant.id, share, found, guess: begun.guess, source, work, email };
}

/** Judges a guess that was counted: outside of any transaction, since a hash takes its time. */
export async function judgeAttempt(
  attempt: Attempt,
  password: string,
  deps: StoreDeps,
  beside: Beside = {},
): Promise<CheckedCredentials> {
  const { tenantId, guess } = attempt;
  const takeBack = () => deps.store.transaction((tx) => takeGuessBack(tx, tenantId, guess));
  const checked = await judge(attempt, password, deps, beside).catch(async (error: unknown) => {
    // No place was free to judge it.
    await takeBack();
    throw error;
  });
  if (checked.kind === 'too-many') await takeBack();
  if (checked.kind === 'wrong') await deps.store.transaction((tx) => keepGuess(tx, tenantId, guess));
  return checked;
}

/** Looks at a guess that is counted. @returns `too-many` if it was not looked at */
async function judge(
  { share, found, source, work, email }: Attempt,
  password: string,
  { clock, passwords }: CredentialDeps,
  { admission = anyMember, oldMembers = null }: Beside,
): Promise<CheckedCredentials> {
  const phc = found?.passwordHash ?? null;
  // The address counts when the hash begins and not before: many homes wait behind one (security, Defaults).
  const address = { late: null as TooManyGuesses | null };
  const mayBegin = async () => {
    address.late = await source.take();
    return address.late === null;
  };
  const isHashed = isHashable(password) && (await passwords.verify(password, phc, share, { mayBegin, work }));
  // One that is too long for any account counts like the others.
  if (!isHashable(password)) await mayBegin();
  if (address.late !== null) return address.late;
  // From here on every no takes as long as the old system may, whether it is asked or not.
  const noMayCome = oldMembers?.noMayCome();
  const no = async (memberId: string | null, reason: string) => {
    await noMayCome;
    return { kind: 'wrong', memberId, reason } as const;
  };
  if (found === null) {
    const asked = isHashable(password) ? await oldMembers?.ask({ email, password, share }) : undefined;
    if (asked?.kind !== 'moved') return no(null, asked?.reason ?? 'no account has the address');
    await source.giveBack();
    return { kind: 'right', verified: { ...asked.found, newHash: null } };
  }
  const refused = admission(found.member, clock());
  if (!isHashed) return no(found.member.id, wrongPassword.atSignIn);
  if (refused !== null) return no(found.member.id, refused);
  await source.giveBack();
  const newHash = passwords.isWeak(found.passwordHash) ? await passwords.hash(password, share) : null;
  return { kind: 'right', verified: { ...found, newHash } };
}

/** Counts the failures of a browser or an address. */
function sourceOf(tenant: OpenTenant, limitKey: Counted, rateLimiter: Counters) {
  const { failedSignInsPerAddressAndMinute: limit } = tenant.limits;
  const { minute } = countingWindow;
  const inWords = (retryAfter: number | null): TooManyGuesses | null =>
    retryAfter === null ? null : { kind: 'too-many', retryAfter, limitKey };
  return {
    look: async () => inWords(await rateLimiter.look(limitKey.key, limit, minute)),
    take: async () => inWords(await rateLimiter.take(limitKey.key, limit, minute)),
    giveBack: () => rateLimiter.giveBack(limitKey.key, minute),
  };
}
