// The mails with a link for a password that operators have sent to a member, and how many one address gets.
import { isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { countingWindow } from '../../../core/limits.ts';
import { operatorMailsPerHour } from '../../../core/members/limits.ts';
import { maySignIn } from '../../../core/members/member.ts';
import { hashEmail } from '../../../core/members/member-limits.ts';
import { usesPassword } from '../../../core/members/ways-in.ts';
import { takeIn } from '../../../storage/memory/rate-limit.ts';
import * as s from '../../json-schema.ts';
import { mailPasswordLink } from '../../recovery/recovery.ts';
import { conflict, tooManyMails } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { emailField, isEnabled, manageableMember, memberField, memberIdField, ofMember } from './member.ts';

/**
 * Counts a mail that is about to be sent to an address, in the transaction that sends it: from all operators, tokens and imports
 * of the tenant together (GA17).
 *
 * @returns null if it may be sent, else the seconds after which it may
 */
export async function takeMail(
  { tx, tenant, mailCounters }: Pick<OnTenant<OperationContext>, 'tx' | 'tenant' | 'mailCounters'>,
  email: string,
): Promise<number | null> {
  if (mailCounters === undefined) return null;
  const key = `operator mails ${tenant.id} ${hashEmail(email)}`;
  return takeIn(tx, mailCounters, key, operatorMailsPerHour, countingWindow.hour);
}

/**
 * Counts it for an operation that does nothing else.
 *
 * @param field which field of the input names the address
 * @throws OperationRefused if the address got as many as it may get now
 */
export async function countMail(
  context: OnTenant<OperationContext>,
  email: string,
  field: 'email' | 'memberId',
): Promise<void> {
  const wait = await takeMail(context, email);
  if (wait !== null) throw tooManyMails(wait, field, 'mailed_often');
}

const fields = { memberId: memberField };

const mailSchema = s.resource('SentMail', 'What was sent', {
  id: memberIdField,
  email: { ...emailField, description: 'Where it was sent' },
  expiresAt: s.timeOrNull('Until when its link works; null where that has no end', null),
});

/** Mails the member a link of one use, whatever was mailed before. */
const mailing = {
  portal: { ...ofMember, atOnce: true, fits: isEnabled, done: 'The mail is on its way.', titledFor: true },
  permission: 'members:write',
  fields,
  output: mailSchema,
} as const;

async function sendLink(
  context: OnTenant<OperationContext>,
  memberId: string,
  mail: 'invitation' | 'passwordReset',
): Promise<object> {
  const { tx, tenant, random, mails, now } = context;
  const member = await manageableMember(context, memberId);
  if (!maySignIn(member, now)) throw conflict('memberId', 'member_disabled');
  if (mail === 'passwordReset' && !usesPassword(tenant, member)) throw conflict('memberId', 'no_passwords');
  await countMail(context, member.email, 'memberId');
  const expiresAt = await mailPasswordLink(tx, tenant, member, mail, { clock: () => now, random, mails });
  return { id: member.id, email: member.email, expiresAt: isoTimeOrNull(expiresAt) };
}

const invitationSent = onTenant({
  ...mailing,
  name: 'members.sendInvitation',
  summary: 'Mail a member the invitation again: a link to choose a first password, good for three days',
  route: 'POST /members/{memberId}/invitation',
  run: (context, { memberId }) => sendLink(context, memberId, 'invitation'),
});

const passwordResetSent = onTenant({
  ...mailing,
  name: 'members.sendPasswordReset',
  summary: 'Mail a member a link to choose a new password, good for half an hour',
  route: 'POST /members/{memberId}/password-reset',
  run: (context, { memberId }) => sendLink(context, memberId, 'passwordReset'),
});

export const memberMailOperations: readonly Operation[] = [invitationSent, passwordResetSent];
