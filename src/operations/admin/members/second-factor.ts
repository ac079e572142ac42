// The operation on a member's second factor: an operator helps a member who lost the app and every recovery code.

import { conflict } from '../../refusal.ts';
import { turnOffFactor } from '../../second-factor/second-factor.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';
import type { Thing } from '../portal-face.ts';
import { concernedMember, manageableMember, memberField, ofMember } from './member.ts';

/** Whether a member has a second factor, as `members.read` answers. */
const hasFactor = ({ standing }: Thing) =>
  typeof (standing as Thing | undefined)?.secondFactorSince === 'string';

const reset = onTenant({
  name: 'members.resetSecondFactor',
  summary:
    'Turn the two-step sign-in of a member off, who lost the app and the recovery codes; a mail says so',
  portal: { ...ofMember, ends: 'forNow', fits: hasFactor, titledFor: true },
  permission: 'members:write',
  route: 'POST /members/{memberId}/reset-second-factor',
  fields: { memberId: memberField },
  output: concernedMember,
  run: async (context, { memberId }) => {
    const { tx, tenant, random, mails, now } = context;
    const member = await manageableMember(context, memberId);
    const deps = { clock: () => now, random, mails };
    if (!(await turnOffFactor(tx, tenant, member, 'operator', deps))) {
      throw conflict('memberId', 'no_second_factor');
    }
    return { id: member.id };
  },
});

export const secondFactorOperations: readonly Operation[] = [reset];
