/** The mails that an operator sends a member again: the invitation, and the link for a new password. */
import { isoTime } from '../../../core/access/iso-time.ts';
import { maySignIn } from '../../../core/members/member.ts';
import { resource, time } from '../../../json-schema.ts';
import { mailPasswordLink } from '../../recovery/recovery.ts';
import { conflict } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';
import { isEnabled, manageableMember, ofMember } from './manage.ts';
import { emailField, memberField, memberIdField } from './member-answer.ts';

const output = resource('SentMail', 'What was sent', {
  id: memberIdField,
  email: { ...emailField, description: 'Where it was sent' },
  expiresAt: time('Until when its link works'),
});

/** An operation that mails the member a link of one use, whatever was mailed before. */
function mailing(facts: {
  readonly name: string;
  readonly summary: string;
  readonly path: string;
  readonly mail: 'invitation' | 'passwordReset';
}): Operation {
  const { mail, path, ...said } = facts;
  return onTenant<{ readonly memberId: string }>({
    ...said,
    portal: { ...ofMember, fits: isEnabled, done: 'The mail is on its way.' },
    permission: 'members:write',
    method: 'POST',
    path: `/members/{memberId}/${path}`,
    fields: { memberId: memberField },
    output,
    run: async (context, { memberId }) => {
      const { tx, tenant, random, mails, now } = context;
      const member = await manageableMember(context, memberId);
      if (!maySignIn(member, now)) throw conflict('memberId', 'member_disabled');
      const expiresAt = await mailPasswordLink(tx, tenant, member, mail, { clock: () => now, random, mails });
      return { id: member.id, email: member.email, expiresAt: isoTime(expiresAt) };
    },
  });
}

export const memberMailOperations: readonly Operation[] = [
  mailing({
    name: 'members.sendInvitation',
    summary: 'Mail a member the invitation again: a link to choose a first password, good for three days',
    path: 'invitation',
    mail: 'invitation',
  }),
  mailing({
    name: 'members.sendPasswordReset',
    summary: 'Mail a member a link to choose a new password, good for half an hour',
    path: 'password-reset',
    mail: 'passwordReset',
  }),
];
