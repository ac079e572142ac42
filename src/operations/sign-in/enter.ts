/**
 * The one door of every way to sign in: each looks at its own proof, and comes here once that was right. No member has a
 * session who did not come through, and none comes through who needs a second factor and has not proven it (decisions 46
 * and 47).
 */

import { sha256 } from '../../core/hash.ts';
import { secondFactorWait } from '../../core/members/limits.ts';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { hashEmail } from '../../core/members/member-limits.ts';
import type { SessionKind } from '../../core/session.ts';
import { type Factor, strengthOf } from '../../core/strength.ts';
import { clearSignInFailures } from '../../storage/members/guesses/sign-in-failure.ts';
import {
  findMemberWithPassword,
  type MemberWithPassword,
  updatePasswordHash,
} from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { type Browser, type SessionDeps, type StartedSession, startSession } from '../session/session.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { type Admission, anyMember } from './credentials.ts';
import { missingOf } from './factor-step.ts';

/** What a member proved in one way. */
export interface Proven {
  readonly memberId: string;
  /** In their order, such as `pwd`, or `hwk` and `user`. */
  readonly factors: readonly Factor[];
  /** What must still be so (`standingOf`), as it was when the proof was looked at. */
  readonly standing: string;
  /** A hash of today's strength, where a password was proven whose stored one is weaker. */
  readonly newHash?: string | null;
}

/** A first factor that was proven, while it waits for the second: it travels sealed, and begins nothing by itself. */
export interface Waiting extends Omit<Proven, 'newHash'> {
  /** When it was proven (ms). */
  readonly at: number;
}

/** Where a member comes in. */
export interface Entrance {
  readonly kind: SessionKind;
  readonly browser: (member: Member) => Promise<Browser>;
  /** Who may come in; left out for every member who may sign in. */
  readonly admission?: Admission;
}

/** A member who came in, with the session that began; or what was proven so far, where a second factor is asked for. */
export type Entered =
  | (StartedSession & { readonly kind: 'entered'; readonly member: Member })
  | { readonly kind: 'waiting'; readonly waiting: Waiting };

/** What a proof rests on. */
type Standing = Pick<MemberWithPassword, 'passwordHash'> & { readonly member: Pick<Member, 'email'> };

/**
 * What a proof of a member rests on, as a digest: the address and the password. Another of either, chosen while a proof
 * was on its way, makes it worth nothing (F3).
 */
export const standingOf = ({ member, passwordHash }: Standing): string =>
  sha256(`${passwordHash} ${normaliseEmail(member.email)}`);

/** A password that was right. */
export const byPassword = (verified: MemberWithPassword & Pick<Proven, 'newHash'>): Proven => ({
  memberId: verified.member.id,
  factors: ['pwd'],
  standing: standingOf(verified),
  newHash: verified.newHash ?? null,
});

/** An account of another provider that is linked to her, or about to be. */
export const byAccount = (found: MemberWithPassword): Proven => ({
  memberId: found.member.id,
  factors: ['fed'],
  standing: standingOf(found),
});

/** The account of a proof, if all is still so that it rests on and it may come in; null if not. */
export async function findProven(
  tx: Tx,
  tenant: OpenTenant,
  { memberId, standing }: Pick<Proven, 'memberId' | 'standing'>,
  now: number,
  admission: Admission = anyMember,
): Promise<MemberWithPassword | null> {
  const found = await findMemberWithPassword(tx, tenant.id, memberId);
  if (found === null || standingOf(found) !== standing || admission(found.member, now) !== null) return null;
  return found;
}

/** Whether what was proven first waits no longer. */
export const isOverdue = ({ at }: Pick<Waiting, 'at'>, now: number): boolean =>
  now < at || now >= at + secondFactorWait;

/**
 * Lets a member in by what was proven, in the transaction of what she signs in for: begins her session, or renews the one
 * of her browser. Where a second factor is asked for and was not proven, nothing begins.
 *
 * @returns null if the account changed meanwhile, or may not come in here
 */
export async function enter(
  tx: Tx,
  tenant: OpenTenant,
  proven: Proven,
  { kind, browser: browserOf, admission }: Entrance,
  deps: SessionDeps,
): Promise<Entered | null> {
  const now = deps.clock();
  const found = await findProven(tx, tenant, proven, now, admission);
  if (found === null) return null;
  const { member } = found;
  const { memberId, factors, newHash = null } = proven;
  if (newHash !== null) await updatePasswordHash(tx, member, newHash);
  await clearSignInFailures(tx, tenant.id, hashEmail(member.email));
  const browser = await browserOf(member);
  const strength = strengthOf(factors, now);
  if (
    strength.strongAt === null &&
    (await missingOf(tx, tenant, member, { kind, browser }, now)) !== 'none'
  ) {
    const standing = standingOf(newHash === null ? found : { member, passwordHash: newHash });
    return { kind: 'waiting', waiting: { memberId, factors, standing, at: now } };
  }
  return {
    kind: 'entered',
    member,
    ...(await startSession(tx, tenant, { member, kind, strength }, browser, deps)),
  };
}
