// The operations on members.

import { isoTime } from '../../../core/access/iso-time.ts';
import { type Member, maySignIn } from '../../../core/members/member.ts';
import { mayGrant } from '../../../core/operators/permission.ts';
import { listNewestSubscriptions } from '../../../storage/access/subscription.ts';
import { countKept } from '../../../storage/members/erase.ts';
import { listMembers } from '../../../storage/members/member-search.ts';
import { listAuditEvents, type StoredAuditEvent } from '../../../storage/operators/audit-event.ts';
import type { Tx } from '../../../storage/store.ts';
import * as s from '../../json-schema.ts';
import { deleteMember, disableMember, enableMember, wholeMemberData } from '../../member/member.ts';
import { mailPasswordLink } from '../../recovery/recovery.ts';
import { conflict, denied } from '../../refusal.ts';
import { livingSessions } from '../../session/session.ts';
import { livingSignIns } from '../../sign-in/sign-in.ts';
import { subscriptionAnswer, subscriptionSchema } from '../access/subscriptions.ts';
import { auditAnswers, auditEventSchema } from '../audit.ts';
import { forceField, type OnTenant, onTenant } from '../define.ts';
import { listWithFile, nextText, sortField } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import {
  demandOther,
  emailField,
  isEnabled,
  manageableMember,
  memberAnswer,
  memberField,
  memberFor,
  memberIdField,
  memberSchema,
  ofMember,
  statusField,
  userTypeField,
} from './member.ts';
import { limitsOf, limitsSchema } from './member-limits.ts';
import { sessionAnswer, sessionSchema, signInAnswer, signInSchema } from './sessions.ts';

const fields = { memberId: memberField };

/** The member, without what happened. */
const present = async (context: OnTenant<OperationContext>, { memberId }: { readonly memberId: string }) =>
  memberAnswer(await memberFor(context, memberId));

const all = listWithFile({
  name: 'members.list',
  summary: 'List or search the members of a tenant, the newest first',
  permission: 'members:read',
  route: 'GET /members',
  title: 'Members',
  lead: 'Who can sign in here.',
  columns: ['email', 'fullName', 'memberNumber', 'userType', 'status', 'createdAt'],
  entry: { field: 'memberId', key: 'id' },
  opens: 'members.read',
  bulk: ['members.disable', 'members.enable', 'members.signOutEverywhere'],
  of: 'members',
  page: 'A page of members',
  schema: memberSchema,
  next: nextText,
  narrowing: {
    search: {
      ...s.text(
        'The beginnings of words of the name, the beginning of the address, or the member number',
        'ada',
      ),
      maxLength: 200,
    },
    status: statusField,
    userType: userTypeField,
    sort: sortField('-createdAt', 'createdAt', 'email', '-email'),
    before: s.text('The id of the last member of the page before', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02'),
  },
  read: ({ tx, tenant, now }, filter, limit) => listMembers(tx, tenant.id, filter, limit, now),
  answer: memberAnswer,
  key: 'id',
  file: {
    name: 'members.export',
    summary: 'Write the members of a tenant to a file, one JSON object a line',
  },
});

/** What is shown of a member beside the details. */
const historySchemas = {
  subscriptions: s.list('The newest subscriptions; `subscriptions.list` has all', subscriptionSchema),
  signIns: s.list('The newest TVs and apps that can use the account; `signIns.list` has all', signInSchema),
  sessions: s.list('The newest browsers of the member; `sessions.list` has all', sessionSchema),
  events: s.list('What the member did last, and what was done to the member', auditEventSchema),
};

/** So many of each list are shown with the member: the page stays under 60 KB (security, F10). */
const shown = { entries: 10, events: 20 } as const;

async function historyOf({ tx, actor, now }: OperationContext, member: Member) {
  const { id, tenantId } = member;
  const newest = { limit: shown.entries };
  return {
    subscriptions: (await listNewestSubscriptions(tx, id, newest)).map((one) => subscriptionAnswer(one, now)),
    signIns: (await livingSignIns(tx, member, newest, now)).page.map(signInAnswer),
    sessions: (await livingSessions(tx, member, newest, now)).page.map(sessionAnswer),
    events: await auditAnswers(tx, await eventsOf(tx, tenantId, id), actor),
  };
}

/** What a member did and what was done to the member, newest first: each has an index of its own. */
async function eventsOf(tx: Tx, tenantId: string, id: string): Promise<readonly StoredAuditEvent[]> {
  const found = [
    ...(await listAuditEvents(tx, { tenantId, actorId: id }, shown.events)),
    ...(await listAuditEvents(tx, { tenantId, target: id }, shown.events)),
  ];
  const each = new Map(found.map((event) => [event.id, event]));
  return [...each.values()].toSorted((a, b) => b.at - a.at || b.id - a.id).slice(0, shown.events);
}

const read = onTenant({
  name: 'members.read',
  summary: 'Show a member with locks, subscriptions, sign-ins, sessions and what happened last',
  portal: {
    parts: {
      limits: { columns: ['limit', 'counted', 'allowed', 'lockedUntil'] },
      subscriptions: {
        list: 'subscriptions.list',
        columns: ['subscriptionId', 'packageName', 'state', 'activatedAt', 'expiresAt'],
      },
      signIns: { list: 'signIns.list' },
      sessions: { list: 'sessions.list' },
      events: {
        columns: ['at', 'event', 'actorKind', 'clientId', 'address', 'result', 'reason', 'changes'],
      },
    },
  },
  permission: 'members:read',
  route: 'GET /members/{memberId}',
  fields,
  output: s.extended(memberSchema, 'MemberDetails', 'A member', {
    limits: limitsSchema,
    ...historySchemas,
  }),
  run: async (context, { memberId }) => {
    const member = await memberFor(context, memberId);
    return {
      ...memberAnswer(member),
      limits: await limitsOf(context, member),
      ...(await historyOf(context, member)),
    };
  },
});

const disabled = onTenant({
  name: 'members.disable',
  summary: 'Disable a member: every session and sign-in ends',
  portal: { ...ofMember, ends: true, fits: isEnabled },
  permission: 'members:write',
  route: 'POST /members/{memberId}/disable',
  fields,
  optional: { force: forceField },
  output: memberSchema,
  present,
  run: async (context, { memberId }) => {
    const { tx, tenant, actor, now, isTrial } = context;
    await manageableMember(context, memberId);
    demandOther(actor, memberId);
    await disableMember(tx, tenant.id, memberId, now, isTrial);
    return memberAnswer(await memberFor(context, memberId));
  },
});

const enabled = onTenant({
  name: 'members.enable',
  summary: 'Let a disabled member sign in again',
  portal: { ...ofMember, fits: (member) => !isEnabled(member) },
  permission: 'members:write',
  route: 'POST /members/{memberId}/enable',
  fields,
  output: memberSchema,
  present,
  run: async (context, { memberId }) => {
    await manageableMember(context, memberId);
    await enableMember(context.tx, context.tenant.id, memberId, context.now);
    return memberAnswer(await memberFor(context, memberId));
  },
});

const keptSchema = s.exactly(
  'What stays, since the law asks for it: without names but in invoices, which stay as they were sent',
  {
    subscriptions: s.wholeNumber('Subscriptions, without what was written of them', 2),
    checkouts: s.wholeNumber('Checkouts, without what was read before them', 2),
    invoices: s.wholeNumber('Invoices, with their addressee', 1),
    consentChanges: s.wholeNumber('Answers to consents', 3),
  },
);

const deleted = onTenant({
  name: 'members.delete',
  summary:
    'Delete a member for good, and erase the personal data; invoices, purchases and answers to consents stay, as the law asks',
  portal: { ...ofMember, lands: 'members.list', ends: true },
  permission: 'members:write',
  route: 'DELETE /members/{memberId}',
  fields,
  optional: { force: forceField },
  output: s.exactly('Who was deleted', {
    id: memberIdField,
    deletedAt: s.time('When'),
    kept: keptSchema,
  }),
  run: async (context, { memberId }) => {
    const { tx, tenant, actor, now } = context;
    await manageableMember(context, memberId);
    demandOther(actor, memberId);
    await deleteMember(tx, tenant.id, memberId, now);
    return { id: memberId, deletedAt: isoTime(now), kept: await countKept(tx, memberId) };
  },
});

/** One member's whole data as a file, for a request by law (GDPR art. 15 and 20). */
const dataExported = onTenant({
  name: 'members.exportData',
  summary: 'Write everything that is held of a member to a file, as the member’s own download does',
  portal: { page: 'members.read' },
  permission: 'members:read',
  route: 'GET /members/{memberId}/data',
  fields,
  output: s.exactly('A file', { text: s.text('What is held, as JSON', '{"member":{}}\n') }),
  mediaType: 'application/json; charset=utf-8',
  audited: true,
  run: async (context, { memberId }) => {
    const { tx, actor, now } = context;
    if (!mayGrant(actor, ['subscriptions:read'])) {
      throw denied([], 'permission_needed_besides', { permission: 'subscriptions:read' });
    }
    const data = await wholeMemberData(tx, await memberFor(context, memberId), now);
    return { text: `${JSON.stringify(data, null, 2)}\n` };
  },
});

const mailSchema = s.resource('SentMail', 'What was sent', {
  id: memberIdField,
  email: { ...emailField, description: 'Where it was sent' },
  expiresAt: s.time('Until when its link works'),
});

/** Mails the member a link of one use, whatever was mailed before. */
const mailing = {
  portal: { ...ofMember, fits: isEnabled, done: 'The mail is on its way.' },
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
  const expiresAt = await mailPasswordLink(tx, tenant, member, mail, { clock: () => now, random, mails });
  return { id: member.id, email: member.email, expiresAt: isoTime(expiresAt) };
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

export const memberOperations: readonly Operation[] = [
  onTenant(all.list),
  onTenant(all.file),
  read,
  disabled,
  enabled,
  deleted,
];
export const memberFileOperations: readonly Operation[] = [dataExported];
export const memberMailOperations: readonly Operation[] = [invitationSent, passwordResetSent];
