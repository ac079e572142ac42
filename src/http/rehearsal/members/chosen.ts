// A member of a development tenant whom a developer chose to be: let in by the one door, without a password.
import { type Member, maySignIn } from '../../../core/members/member.ts';
import { membersShown } from '../../../core/rehearsal/limits.ts';
import type { Factor } from '../../../core/strength.ts';
import { byPassword, type Proven } from '../../../operations/sign-in/enter.ts';
import { findMemberByEmail, type MemberWithPassword } from '../../../storage/members/member.ts';
import { listMembers } from '../../../storage/members/member-search.ts';
import type { Tx } from '../../../storage/store.ts';
import { DeedRefused } from '../deeds.ts';

/** What is taken as proven: a password, and the digits of an app besides where a second factor is asked for. */
const oneFactor: readonly Factor[] = ['pwd'];
const twoFactors: readonly Factor[] = ['pwd', 'otp', 'mfa'];

/** The member of an address. @throws DeedRefused where there is none, or none who may sign in */
export async function findChosen(
  tx: Tx,
  tenantId: string,
  email: string,
  now: number,
): Promise<MemberWithPassword> {
  const found = await findMemberByEmail(tx, tenantId, email);
  if (found === null) throw new DeedRefused('there is no such member', 404);
  if (!maySignIn(found.member, now)) throw new DeedRefused('this member may not sign in');
  return found;
}

/** The members who may sign in, the first of the tenant first: of those of a development start all are made at once. */
export async function membersToChoose(tx: Tx, tenantId: string, now: number): Promise<readonly Member[]> {
  const search = { status: 'active', sort: 'createdAt' } as const;
  const members = await listMembers(tx, tenantId, search, membersShown, now);
  return members
    .filter((member) => maySignIn(member, now))
    .toSorted((one, other) => one.userId - other.userId);
}

/** Lets a chosen member in. @param enter opens the door to what was proven */
export async function enterChosen<Entered extends object>(
  found: MemberWithPassword,
  enter: (proven: Proven) => Promise<Entered | null>,
): Promise<Entered> {
  const proven = byPassword(found);
  const first = await enter({ ...proven, factors: oneFactor });
  const entered =
    first !== null && 'waiting' in first ? await enter({ ...proven, factors: twoFactors }) : first;
  if (entered === null) throw new DeedRefused('this member may not sign in');
  return entered;
}

/** A member as the room tells of one. */
export const toldMember = ({ id, email, fullName }: Member) => ({ id, email, fullName });
