/** The limits that count a member: shown with the member, and lifted. */

import { isoTimeOrNull } from '../../../core/access/iso-time.ts';
import type { Member } from '../../../core/members/member.ts';
import {
  failuresLimit,
  hashAccountPages,
  hashEmail,
  type MemberLimit,
  memberLimitNames,
  userCodesLimit,
} from '../../../core/members/member-limits.ts';
import { hashSecondFactor } from '../../../core/members/second-factor.ts';
import { clearSignInFailures, findSignInFailures } from '../../../storage/members/guesses/sign-in-failure.ts';
import { clearWrongUserCodes, listWrongUserCodes } from '../../../storage/members/guesses/wrong-user-code.ts';
import * as s from '../../json-schema.ts';
import { type OnTenant, onTenant } from '../define.ts';
import type { Operation, OperationContext } from '../operation.ts';
import type { Thing } from '../portal-face.ts';
import { manageableMember, memberField, memberIdField, ofMember } from './member.ts';

const limitSchema = s.resource('MemberLimit', 'A limit that counts the member', {
  limit: s.oneOf('MemberLimitName', 'What counts', memberLimitNames),
  counted: s.wholeNumber('How many count now', 2),
  allowed: s.orNull(s.wholeNumber('From how many on the member has to wait', 5), 'no limit'),
  lockedUntil: s.timeOrNull('Until when the member has to wait; null if not at all', null),
});

export const limitsSchema = s.list('The limits that count the member', limitSchema);

/** How far a member has come with each limit that counts members. */
export async function memberLimitsOf(
  { tx, tenant, now }: OnTenant<OperationContext>,
  { id, email }: Member,
): Promise<readonly MemberLimit[]> {
  const { failedSignInsPerAccount, wrongUserCodesPerMember } = tenant.limits;
  const failed = (key: string) => findSignInFailures(tx, tenant.id, key);
  return [
    failuresLimit('failed_sign_ins', await failed(hashEmail(email)), now, failedSignInsPerAccount),
    failuresLimit('wrong_current_passwords', await failed(hashAccountPages(id)), now),
    failuresLimit('wrong_second_factors', await failed(hashSecondFactor(id)), now),
    userCodesLimit(await listWrongUserCodes(tx, id, now), wrongUserCodesPerMember),
  ];
}

/** The same as it is answered. */
export async function limitsOf(context: OnTenant<OperationContext>, member: Member) {
  const limits = await memberLimitsOf(context, member);
  return limits.map((limit) => ({ ...limit, lockedUntil: isoTimeOrNull(limit.lockedUntil) }));
}

/** Whether a limit keeps a member out, who is as `members.read` answers. */
export const isLocked = ({ limits }: Thing) =>
  Array.isArray(limits) && limits.some(({ lockedUntil }: Thing) => typeof lockedUntil === 'string');

const unlocked = onTenant({
  name: 'members.unlock',
  summary: 'Lift the locks of a member: wrong passwords, second factors and TV codes so far count no more',
  portal: { ...ofMember, atOnce: true, fits: isLocked },
  permission: 'members:write',
  route: 'POST /members/{memberId}/unlock',
  fields: { memberId: memberField },
  output: s.exactly('The limits from now on', { id: memberIdField, limits: limitsSchema }),
  run: async (context, { memberId }) => {
    const { tx, tenant } = context;
    const member = await manageableMember(context, memberId);
    await clearSignInFailures(tx, tenant.id, hashEmail(member.email));
    await clearSignInFailures(tx, tenant.id, hashAccountPages(member.id));
    await clearSignInFailures(tx, tenant.id, hashSecondFactor(member.id));
    await clearWrongUserCodes(tx, member.id);
    return { id: member.id, limits: await limitsOf(context, member) };
  },
});

export const memberLimitOperations: readonly Operation[] = [unlocked];
