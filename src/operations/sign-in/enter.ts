/**
 * The one door of every way to sign in: each looks at its own proof, and comes here once that was right. No member has a
 * session who did not come through (decision 46).
 */

import { sha256 } from '../../core/hash.ts';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import type { SessionKind } from '../../core/session.ts';
import { type Factor, strengthOf } from '../../core/strength.ts';
import {
  findMemberWithPassword,
  type MemberWithPassword,
  updatePasswordHash,
} from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { type Browser, type SessionDeps, type StartedSession, startSession } from '../session/session.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { type Admission, anyMember } from './credentials.ts';

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

/** Where a member comes in. */
export interface Entrance {
  readonly kind: SessionKind;
  readonly browser: (member: Member) => Promise<Browser>;
  /** Who may come in; left out for every member who may sign in. */
  readonly admission?: Admission;
}

/** A member who came in, with the session that began. */
export type Entered = StartedSession & { readonly member: Member };

/**
 * What a proof of a member rests on, as a digest: the address and the password. Another of either, chosen while a proof
 * was on its way, makes it worth nothing (F3).
 */
export const standingOf = ({ member, passwordHash }: MemberWithPassword): string =>
  sha256(`${passwordHash} ${normaliseEmail(member.email)}`);

/** A password that was right. */
export const byPassword = (verified: MemberWithPassword & Pick<Proven, 'newHash'>): Proven => ({
  memberId: verified.member.id,
  factors: ['pwd'],
  standing: standingOf(verified),
  newHash: verified.newHash ?? null,
});

/**
 * Lets a member in by what was proven, in the transaction of what she signs in for: begins her session, or renews the one
 * of her browser.
 *
 * @returns null if the account changed meanwhile, or may not come in here
 */
export async function enter(
  tx: Tx,
  tenant: OpenTenant,
  { memberId, factors, standing, newHash = null }: Proven,
  { kind, browser, admission = anyMember }: Entrance,
  deps: SessionDeps,
): Promise<Entered | null> {
  const now = deps.clock();
  const found = await findMemberWithPassword(tx, tenant.id, memberId);
  if (found === null || standingOf(found) !== standing || admission(found.member, now) !== null) return null;
  const { member } = found;
  if (newHash !== null) await updatePasswordHash(tx, member.id, newHash);
  const begun = { member, kind, strength: strengthOf(factors, now) };
  return { member, ...(await startSession(tx, tenant, begun, await browser(member), deps)) };
}
