import { endSession } from '../core/session.ts';
import { endSignIn } from '../core/sign-in.ts';
import { apply } from '../storage/apply.ts';
import { findMember, updateMemberStatus } from '../storage/member.ts';
import { listActiveSessions } from '../storage/session.ts';
import { listActiveSignIns } from '../storage/sign-in.ts';
import type { Tx } from '../storage/store.ts';

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
  for (const session of await listActiveSessions(tx, id)) await apply(tx, endSession(session));
  for (const signIn of await listActiveSignIns(tx, id)) {
    await apply(tx, endSignIn(signIn, 'member_inactive', now));
  }
  return true;
}
