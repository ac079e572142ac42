/** Ends what lets a member in: one session, all of them, the apps and TVs, or everything. */
import { cancelAuthorizationCode } from '../../core/grants/authorization-code.ts';
import { withdraw } from '../../core/grants/device-code.ts';
import { endSignIn, type SignInEnd } from '../../core/grants/sign-in.ts';
import { endSession, type Session } from '../../core/session.ts';
import { apply } from '../../storage/apply.ts';
import { listIssuedAuthorizationCodes } from '../../storage/authorization-code.ts';
import { listOpenDeviceCodes } from '../../storage/device-code.ts';
import { forgetKnownBrowsers } from '../../storage/members/known-browser.ts';
import { listActiveSessions } from '../../storage/session.ts';
import { listActiveSignIns } from '../../storage/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';

/** Ends a session. That of the portal is told here: its write alone means nothing to the audit (`meaningOf`). */
export async function signOutSession(tx: Tx, session: Session): Promise<void> {
  const writes = endSession(session);
  await apply(tx, writes);
  if (session.kind !== 'admin' || writes.length === 0) return;
  const { memberId, id: target } = session;
  await auditDeed(tx, { event: 'session_ended', memberId, target, reason: 'of the portal' });
}

/** Ends the sessions of a member. @param but the id of one that stays, or null */
export async function signOutSessions(tx: Tx, memberId: string, but: string | null = null): Promise<void> {
  for (const session of await listActiveSessions(tx, memberId)) {
    if (session.id !== but) await signOutSession(tx, session);
  }
}

/**
 * Ends every sign-in of an app or a TV, and what could still become one: a TV at its next poll, a code that was not
 * exchanged.
 *
 * @param inSession the session that they were begun in, where only those are meant
 */
export async function signOutApps(
  tx: Tx,
  memberId: string,
  reason: SignInEnd,
  now: number,
  inSession?: string,
): Promise<void> {
  const isMeant = ({ sessionId }: { readonly sessionId: string | null }) =>
    inSession === undefined || sessionId === inSession;
  for (const signIn of (await listActiveSignIns(tx, memberId)).filter(isMeant)) {
    await apply(tx, endSignIn(signIn, reason, now));
  }
  for (const code of (await listOpenDeviceCodes(tx, { memberId })).filter(isMeant)) {
    await apply(tx, withdraw(code));
  }
  for (const code of (await listIssuedAuthorizationCodes(tx, memberId)).filter(isMeant)) {
    await apply(tx, cancelAuthorizationCode(code));
  }
}

/** Signs a member out everywhere, and forgets the browsers. @param but the id of a session that stays, or null */
export async function signOutEverywhere(
  tx: Tx,
  memberId: string,
  now: number,
  but: string | null = null,
): Promise<void> {
  await signOutSessions(tx, memberId, but);
  await signOutApps(tx, memberId, 'signed_out', now);
  await forgetKnownBrowsers(tx, memberId);
}
