// The operations on members.
import { isoTime } from '../../../core/access/iso-time.ts';
import type { Member, UserType } from '../../../core/members/member.ts';
import { exactly, extended, list, text, textOrNull, time, wholeNumber } from '../../../json-schema.ts';
import { countKept } from '../../../storage/members/erase.ts';
import { listMembers, type MemberSearch } from '../../../storage/members/member-search.ts';
import { deleteMember, disableMember, enableMember } from '../../member/member.ts';
import { type Fields, onTenant } from '../define.ts';
import { forceField, limitField, pageOf } from '../fields.ts';
import { linesFile, linesMediaType, linesSchema, mostLinesField } from '../lines-file.ts';
import type { Operation } from '../operation.ts';
import {
  demandOther,
  isEnabled,
  type MemberContext,
  manageableMember,
  memberFor,
  ofMember,
} from './manage.ts';
import {
  memberAnswer,
  memberField,
  memberIdField,
  memberSchema,
  statusField,
  userTypeField,
} from './member-answer.ts';
import { historyOf, historySchemas } from './member-history.ts';
import { limitsOf, limitsSchema } from './member-limits.ts';

/** Which member. */
interface Named {
  readonly memberId: string;
}

const fields = { memberId: memberField };

/** The member, without what happened. */
const present = async (context: MemberContext, { memberId }: Named) =>
  memberAnswer(await memberFor(context, memberId));

interface Listed {
  readonly search?: string;
  readonly status?: Member['status'];
  readonly userType?: UserType;
  readonly before?: string;
}

const narrowingFields: Fields = {
  search: {
    ...text('The beginnings of words of the name, the beginning of the address, or the member number', 'ada'),
    maxLength: 200,
  },
  status: statusField,
  userType: userTypeField,
  before: text('The id of the last member of the page before', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02'),
};

function narrowingOf({ search, status, userType, before }: Listed): MemberSearch {
  return {
    ...(search === undefined ? {} : { text: search }),
    ...(status === undefined ? {} : { status }),
    ...(userType === undefined ? {} : { userType }),
    ...(before === undefined ? {} : { before }),
  };
}

const listed = onTenant<Listed & { readonly limit: number }>({
  name: 'members.list',
  summary: 'List or search the members of a tenant, the newest first',
  portal: {
    list: {
      title: 'Members',
      columns: ['email', 'fullName', 'memberNumber', 'userType', 'status'],
      lead: 'Who can sign in here.',
      entry: { field: 'memberId', key: 'id' },
      opens: 'members.read',
    },
  },
  permission: 'members:read',
  method: 'GET',
  path: '/members',
  optional: { ...narrowingFields, limit: limitField },
  output: exactly('A page of members', {
    members: list('Members', memberSchema),
    next: textOrNull('What the next page takes as `before`; null on the last one', null),
  }),
  run: async ({ tx, tenant, now }, { limit, ...input }) => {
    const found = await listMembers(tx, tenant.id, narrowingOf(input), limit + 1, now);
    const { page, last } = pageOf(found, limit);
    return { members: page.map(memberAnswer), next: last?.id ?? null };
  },
});

const exported = onTenant<Listed & { readonly limit?: number }>({
  name: 'members.export',
  summary: 'Write the members of a tenant to a file, one JSON object a line',
  portal: { page: 'members.list' },
  permission: 'members:read',
  method: 'GET',
  path: '/members/export',
  optional: { ...narrowingFields, limit: mostLinesField },
  output: linesSchema,
  mediaType: linesMediaType,
  run: async ({ tx, tenant, now }, { limit, ...input }) =>
    linesFile<Member>(tx, {
      read: (own, behind, atMost) => {
        const narrowing = narrowingOf(behind === null ? input : { ...input, before: behind.id });
        return listMembers(own, tenant.id, narrowing, atMost, now);
      },
      lineOf: memberAnswer,
      most: limit,
    }),
});

const read = onTenant<Named>({
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
  method: 'GET',
  path: '/members/{memberId}',
  fields,
  output: extended(memberSchema, 'MemberDetails', 'A member', {
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

const disabled = onTenant<Named>({
  name: 'members.disable',
  summary: 'Disable a member: every session and sign-in ends',
  portal: { ...ofMember, ends: true, fits: isEnabled },
  permission: 'members:write',
  method: 'POST',
  path: '/members/{memberId}/disable',
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

const enabled = onTenant<Named>({
  name: 'members.enable',
  summary: 'Let a disabled member sign in again',
  portal: { ...ofMember, fits: (member) => !isEnabled(member) },
  permission: 'members:write',
  method: 'POST',
  path: '/members/{memberId}/enable',
  fields,
  output: memberSchema,
  present,
  run: async (context, { memberId }) => {
    await manageableMember(context, memberId);
    await enableMember(context.tx, context.tenant.id, memberId, context.now);
    return memberAnswer(await memberFor(context, memberId));
  },
});

const keptSchema = exactly(
  'What stays, since the law asks for it: without names but in invoices, which stay as they were sent',
  {
    subscriptions: wholeNumber('Subscriptions, without what was written of them', 2),
    checkouts: wholeNumber('Checkouts, without what was read before them', 2),
    invoices: wholeNumber('Invoices, with their addressee', 1),
    consentChanges: wholeNumber('Answers to consents', 3),
  },
);

const deleted = onTenant<Named>({
  name: 'members.delete',
  summary:
    'Delete a member for good, and erase the personal data; invoices, purchases and answers to consents stay, as the law asks',
  portal: { ...ofMember, lands: 'members.list', ends: true },
  permission: 'members:write',
  method: 'DELETE',
  path: '/members/{memberId}',
  fields,
  optional: { force: forceField },
  output: exactly('Who was deleted', {
    id: memberIdField,
    deletedAt: time('When'),
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

export const memberOperations: readonly Operation[] = [listed, exported, read, disabled, enabled, deleted];
