import type { Member } from './member.ts';

/**
 * A member asks to be deleted: the account stays as it is until the cooling-off time is over, and is gone
 * from then on by the clock alone (pages 18). Asking again does not put it off.
 *
 * @returns the member as it is from now on, or null if nothing changes
 */
export function requestDeletion(member: Member, coolingOff: number, now: number): Member | null {
  if (member.deletionDueAt !== null) return null;
  return { ...member, deletionDueAt: now + coolingOff, updatedAt: now };
}

/** A member keeps the account after all. @returns null if nothing changes: none was asked for */
export function cancelDeletion(member: Member, now: number): Member | null {
  return member.deletionDueAt === null ? null : { ...member, deletionDueAt: null, updatedAt: now };
}
