// Finds the member of an operation, and checks that the caller may manage that member.
import { isGone, type Member, type UserType } from '../../../core/members/member.ts';
import { type Actor, mayManage } from '../../../core/operators/permission.ts';
import { findMember } from '../../../storage/members/member.ts';
import { conflict, denied, unknown } from '../../refusal.ts';
import type { OperationContext } from '../operation.ts';
import type { Thing } from '../portal-face.ts';

/** The portal's page of a member has the forms that are about one. */
export const ofMember = { page: 'members.read', reads: 'members.read' } as const;

/** Whether a member, as `members.read` answers, is not disabled. */
export const isEnabled = ({ status }: Thing) => status !== 'disabled';

/** Where a member is found. */
export type MemberContext = Pick<OperationContext, 'tx' | 'actor' | 'now'> & {
  readonly tenant: { readonly id: string };
};

/** The member of the tenant; one whose deletion is due is gone. @throws OperationRefused */
export async function memberFor({ tx, tenant, now }: MemberContext, id: string): Promise<Member> {
  const member = await findMember(tx, tenant.id, id);
  if (member === null || isGone(member, now)) throw unknown('member');
  return member;
}

/**
 * The member, if the caller may act on it: an administrator's account is worth what its administrator can do.
 *
 * @throws OperationRefused
 */
export async function manageableMember(context: MemberContext, id: string): Promise<Member> {
  const member = await memberFor(context, id);
  demandManage(context.actor, member.userType);
  return member;
}

/** @throws OperationRefused if the caller may not make such a member, or act on one */
export function demandManage(actor: Actor, userType: UserType): void {
  if (mayManage(actor, userType)) return;
  throw denied([], 'administrators_only', { userType });
}

/** Keeps administrators from locking themselves out by accident. @throws OperationRefused */
export function demandOther(actor: Actor, id: string): void {
  if (actor.kind === 'admin' && actor.memberId === id) throw conflict('memberId', 'own_account');
}
