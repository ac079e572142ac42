import { cancelAuthorizationCode } from '../../core/authorization-code.ts';
import { withdraw } from '../../core/device-code.ts';
import { endSession } from '../../core/session.ts';
import { endSignIn, type SignInEnd } from '../../core/sign-in.ts';
import { apply } from '../../storage/apply.ts';
import { listIssuedAuthorizationCodes } from '../../storage/authorization-code.ts';
import { listOpenDeviceCodesOfMember } from '../../storage/device-code.ts';
import { eraseMember } from '../../storage/members/erase.ts';
import { findMember, listDueMembers, updateMemberStatus } from '../../storage/members/member.ts';
import { listActiveSessions } from '../../storage/session.ts';
import { listActiveSignIns } from '../../storage/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import { indexed, type Sweep } from '../../storage/sweep/sweep.ts';
import { auditDeed } from '../audit/audit.ts';

/**
 * Disables a member: every session and sign-in ends at once (decision 28; A14, T19).
 *
 * @returns whether there is such a member on this tenant
 */
export async function disableMember(tx: Tx, tenantId: string, id: string, now: number): Promise<boolean> {
  const member = await findMember(tx, tenantId, id);
  if (member === null) return false;
  if (member.status === 'disabled') return true;
  await updateMemberStatus(tx, { id, tenantId, status: 'disabled', updatedAt: now });
  await endSignInsOf(tx, id, 'member_inactive', now);
  return true;
}

/**
 * Lets a disabled member sign in again.
 *
 * @returns whether there is such a member on this tenant
 */
export async function enableMember(tx: Tx, tenantId: string, id: string, now: number): Promise<boolean> {
  const member = await findMember(tx, tenantId, id);
  if (member?.status === 'disabled') {
    await updateMemberStatus(tx, { id, tenantId, status: 'active', updatedAt: now });
  }
  return member !== null;
}

/**
 * Deletes a member for good: every session and sign-in ends, and the personal data are erased. The id is
 * nobody's from then on (decision 28; A14, T19).
 *
 * @returns whether there was such a member on this tenant
 */
export async function deleteMember(tx: Tx, tenantId: string, id: string, now: number): Promise<boolean> {
  const member = await findMember(tx, tenantId, id);
  if (member === null) return false;
  await endSignInsOf(tx, id, 'member_inactive', now);
  // Before the rest: the address that it comes from may be the member's own.
  await auditDeed(tx, { event: 'member_deleted', tenantId, target: id });
  await eraseMember(tx, member, now);
  return true;
}

/**
 * Every member whose cooling-off time is over. They are gone without it, by the clock; this erases their data.
 *
 * @param now ms
 */
export function dueMembers(now: number): Sweep {
  return indexed('members', async (tx) => {
    const [due] = await listDueMembers(tx, now, 1);
    if (due === undefined) return 0;
    await deleteMember(tx, due.tenantId, due.id, now);
    return 1;
  });
}

/**
 * Ends everything that a member's sign-ins have begun or could still begin: sessions, refresh tokens,
 * approved TVs that have not polled yet, codes that were not exchanged.
 *
 * @param butSessionId a session that stays, or null
 */
export async function endSignInsOf(
  tx: Tx,
  memberId: string,
  reason: SignInEnd,
  now: number,
  butSessionId: string | null = null,
): Promise<void> {
  for (const session of await listActiveSessions(tx, memberId)) {
    if (session.id !== butSessionId) await apply(tx, endSession(session));
  }
  for (const signIn of await listActiveSignIns(tx, memberId)) await apply(tx, endSignIn(signIn, reason, now));
  for (const code of await listOpenDeviceCodesOfMember(tx, memberId)) await apply(tx, withdraw(code));
  for (const code of await listIssuedAuthorizationCodes(tx, memberId)) {
    await apply(tx, cancelAuthorizationCode(code));
  }
}
