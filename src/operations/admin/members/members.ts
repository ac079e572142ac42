// The operations on members.

import { isoTime } from '../../../core/access/iso-time.ts';
import { listLook } from '../../../core/operators/limits.ts';
import { mayGrant } from '../../../core/operators/permission.ts';
import { countKept } from '../../../storage/members/erase.ts';
import {
  type FilteredSort,
  isPlace,
  lookAtMembers,
  placeOf,
} from '../../../storage/members/member-filter.ts';
import { listMembers } from '../../../storage/members/member-search.ts';
import { keepAccount } from '../../account/account.ts';
import * as s from '../../json-schema.ts';
import { disableMember, enableMember, wholeMemberData } from '../../member/member.ts';
import { deleteForGood } from '../../member/moved-address.ts';
import { conflict, denied, invalid } from '../../refusal.ts';
import { forceField, type OnTenant, onTenant } from '../define.ts';
import { listWithFile, nextText, sortField } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { isSince, type Thing } from '../portal-face.ts';
import { filterField, readFilter } from './filter.ts';
import {
  demandOther,
  isEnabled,
  manageableMember,
  memberAnswer,
  memberField,
  memberFor,
  memberIdField,
  memberSchema,
  ofMember,
  statusField,
  userTypes,
} from './member.ts';

const fields = { memberId: memberField };

/** The member, without what happened. */
const present = async (context: OnTenant<OperationContext>, { memberId }: { readonly memberId: string }) =>
  memberAnswer(await memberFor(context, memberId));

const filteredSort = sortField('-createdAt', 'createdAt', 'email', '-email', 'updatedAt', '-updatedAt');

/** The fields of the list that a file of it does not have. */
interface FilteredInput {
  readonly filter?: s.ValueOf<typeof filterField>;
  readonly sort: FilteredSort;
}

const isByChange = (sort: FilteredSort) => sort === 'updatedAt' || sort === '-updatedAt';

/** @throws OperationRefused where the page begins behind a member who is gone: otherwise the first page would come again */
async function demandPlace(
  { tx, tenant }: OnTenant<OperationContext>,
  { before, sort }: { readonly before?: unknown; readonly sort: FilteredSort },
): Promise<void> {
  if (typeof before !== 'string' || (await isPlace(tx, tenant.id, before, sort))) return;
  throw invalid('before', 'unknown_place');
}

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
    memberId: memberField,
    status: statusField,
    userType: s.oneOf('SoughtUserType', 'What they may do; `any_admin` finds every administrator', [
      ...userTypes,
      'any_admin',
    ]),
    sort: sortField('-createdAt', 'createdAt', 'email', '-email'),
    before: s.text(
      'The `next` of the page before, or the id of its last member',
      '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02',
    ),
  },
  pages: { filter: filterField, sort: filteredSort },
  read: async (context, search, limit) => {
    const { tx, tenant, now } = context;
    await demandPlace(context, search);
    return listMembers(tx, tenant.id, search, limit, now);
  },
  // A member who is deleted while the file is read does not make it begin anew.
  behind: ({ id, email }) => ({ id, email }),
  look: async (context, search, limit) => {
    const { tx, tenant, now } = context;
    await demandPlace(context, search as typeof search & FilteredInput);
    const { filter, sort } = search as FilteredInput;
    if (filter === undefined && !isByChange(sort)) {
      return { found: await listMembers(tx, tenant.id, search, limit, now), lookedAt: null };
    }
    const conditions = await readFilter(context, filter ?? {});
    const asked = { ...search, sort, filter: conditions };
    return lookAtMembers(tx, tenant.id, asked, { limit, look: listLook, now });
  },
  placeOf: (member, { sort }) => placeOf(member, sort as FilteredSort),
  answer: memberAnswer,
  key: 'id',
  file: {
    name: 'members.export',
    summary: 'Write the members of a tenant to a file, one a line',
  },
});

/** What ends with a member, who is as `members.read` answers. */
function heldBy({ held }: Thing): Readonly<Record<string, number>> {
  const { subscriptions = 0, signIns = 0, sessions = 0 } = (held ?? {}) as Readonly<Record<string, number>>;
  return { subscriptions, devices: signIns + sessions };
}

const disabled = onTenant({
  name: 'members.disable',
  summary: 'Disable a member: every session and sign-in ends',
  portal: { ...ofMember, ends: 'forNow', atOnce: true, undo: { by: 'members.enable' }, fits: isEnabled },
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
  portal: {
    ...ofMember,
    atOnce: true,
    undo: { by: 'members.disable' },
    fits: (member) => !isEnabled(member),
  },
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
  portal: { ...ofMember, lands: 'members.list', ends: 'forGood', endsWith: heldBy },
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
    const member = await manageableMember(context, memberId);
    demandOther(actor, memberId);
    await deleteForGood(tx, tenant, member, now);
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

const deletionCancelled = onTenant({
  name: 'members.cancelDeletion',
  summary: 'Keep a member who asked to be deleted: the account stays as it is, and a mail says so',
  portal: { ...ofMember, atOnce: true, fits: isSince('deletionDueAt'), titledFor: true },
  permission: 'members:write',
  route: 'POST /members/{memberId}/cancel-deletion',
  fields,
  output: memberSchema,
  present,
  run: async (context, { memberId }) => {
    const { tx, tenant, random, mails, now } = context;
    const member = await manageableMember(context, memberId);
    if (member.deletionDueAt === null) throw conflict('memberId', 'no_deletion_asked');
    const language = member.locale ?? tenant.languages[0] ?? 'en';
    await keepAccount(tx, tenant, memberId, language, { clock: () => now, random, mails });
    return memberAnswer(await memberFor(context, memberId));
  },
});

export const memberOperations: readonly Operation[] = [
  onTenant(all.list),
  onTenant(all.file),
  disabled,
  enabled,
  deletionCancelled,
  deleted,
];
export const memberFileOperations: readonly Operation[] = [dataExported];
