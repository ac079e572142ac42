// What the operations on a member share: the fields, the answer, what an input changes, and who may manage the member.

import { returnAddressLength } from '../../../core/access/limits.ts';
import { externalIdLength } from '../../../core/import/limits.ts';
import {
  addressLines,
  changeDetails,
  type DetailProblem,
  emailProblem,
  lineProblem,
} from '../../../core/members/details.ts';
import { memberTextLength } from '../../../core/members/limits.ts';
import {
  type Address,
  isGone,
  type Member,
  normaliseEmail,
  type UserType,
} from '../../../core/members/member.ts';
import { memberDetails } from '../../../core/members/member-data.ts';
import { type Actor, mayManage } from '../../../core/operators/permission.ts';
import { type Problem, type ProblemCode, problem } from '../../../core/problem.ts';
import { findMember, findMemberByExternalId } from '../../../storage/members/member.ts';
import type { Tx } from '../../../storage/store.ts';
import { languages } from '../../../text/language.ts';
import { readPhone } from '../../../text/phone.ts';
import * as s from '../../json-schema.ts';
import { conflict, denied, refuseIfAny, unknown } from '../../refusal.ts';
import { type OnTenant, textOrNone } from '../define.ts';
import type { OperationContext } from '../operation.ts';
import type { Thing } from '../portal-face.ts';

/** Which member an operation is about. */
export const memberField = s.text(
  'The member: the id, or the address to sign in with',
  '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02',
);
export const memberIdField = s.named(
  'MemberId',
  s.text('The id of the member', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02'),
);
/** What an operation answers that ends something of a member. */
export const concernedMember = s.resource('ConcernedMember', 'Whose it was', { id: memberIdField });
export const fullNameField = s.held(
  s.text('The full name', 'Ada Nilsen'),
  s.nameRule(memberTextLength.fullName),
);
export const emailField = s.held(
  s.text('The address to sign in with', 'ada.nilsen@example.com'),
  s.nameRule(memberTextLength.email),
);
export const userTypes = ['member', 'tenant_admin', 'system_admin'] as const;
export const userTypeField = s.oneOf('UserType', 'What the member may do beyond being one', userTypes);
export const statusField = s.oneOf('MemberStatus', 'Whether the member may sign in', ['active', 'disabled']);

const addressFields = {
  line1: s.textOrNull('Street and number', 'Storgata 1'),
  city: s.textOrNull('City', 'Oslo'),
  postCode: s.textOrNull('Post code', '0155'),
  postOffice: s.textOrNull('Post office', 'Oslo'),
  country: s.textOrNull('Two-letter country code (ISO 3166-1)', 'NO'),
  name: s.textOrNull('The name on the letter box', 'Ada Nilsen'),
  email: s.textOrNull('An address for what is sent there', null),
};

/** The postal address of a member. */
export const addressSchema = s.resource('Address', 'The postal address', addressFields);

/** What can be said of a member when it is made, and later; an empty text takes a detail away. */
export const memberFields = {
  nickName: s.held(
    s.text('What others call the member; may be empty', 'Ada'),
    s.lineRule(memberTextLength.nickName),
  ),
  phone: s.text('In international format with its +; may be empty', '+4791234567'),
  avatar: s.textOrNull('The https address of a picture', null),
  language: {
    ...s.orNull(s.oneOf('LanguageOrNone', 'The language of mails and pages', [...languages, ''])),
    examples: ['nb'],
  },
  externalId: s.held(
    s.textOrNull('What another system of yours calls the member: no other member of the tenant has it', null),
    s.lineRule(externalIdLength),
  ),
  address: s.named(
    'AddressChanges',
    s.someOf('The postal address; what is left out stays as it is', addressFields),
  ),
};

/** What counts as proven because an operator says so: of a new member, and of one that is there. */
export const provenFields = {
  emailVerified: s.option('Whether the address counts as proven'),
  phoneVerified: s.option('Whether the telephone number counts as proven'),
};
const asBefore = 'as before, and no for another one';
export const provenChangeFields = {
  emailVerified: s.orNull(s.flag('Whether the address counts as proven'), asBefore),
  phoneVerified: s.orNull(s.flag('Whether the number counts as proven'), asBefore),
};

/** The fields of a member that every face shows. */
export const memberSchema = s.resource('Member', 'A member', {
  id: memberIdField,
  userId: s.wholeNumber('The number of the account', 1_001),
  memberNumber: s.wholeNumber('The number of the membership', 501_001),
  userType: userTypeField,
  status: statusField,
  email: emailField,
  emailVerified: s.flag('Whether the address was proven'),
  fullName: fullNameField,
  ...memberFields,
  phoneVerified: s.flag('Whether the telephone number was proven'),
  language: s.textOrNull('The language of mails and pages; null is what the browser asks for', 'nb'),
  address: addressSchema,
  createdAt: s.time('When the account was made'),
  updatedAt: s.time('When it was last changed'),
  deletionDueAt: s.timeOrNull('When it is deleted, if its member asked for that', null),
});

export function memberAnswer(member: Member) {
  const { id, userId, memberNumber, userType, ...details } = memberDetails(member);
  return { id, userId, memberNumber, userType, status: member.status, ...details };
}

/** What an input says of a member. A proof that is left out or null stays, unless what it is about changes. */
export type MemberInput = Partial<
  s.ValuesOf<typeof memberFields & typeof provenChangeFields> & Pick<Member, 'fullName' | 'email'>
>;

const codes = {
  missing: 'missing',
  long: 'too_long_for_use',
  unfit: 'unfit',
  malformed: 'malformed',
  unknown: 'unknown_value',
} as const satisfies Readonly<Record<DetailProblem['problem'], ProblemCode>>;

/**
 * The member with what an input says; what it leaves out stays as it is. Another address is not proven.
 *
 * @throws OperationRefused with every problem at once
 */
export function withDetails(member: Member, input: MemberInput, now: number): Member {
  const email = input.email?.trim() ?? member.email;
  const avatar = input.avatar === undefined ? member.avatar : textOrNone(input.avatar);
  const externalId = input.externalId === undefined ? member.externalId : textOrNone(input.externalId);
  const address = { ...member.address, ...input.address };
  const country = textOrNone(address.country)?.toUpperCase() ?? '';
  const postalEmail = textOrNone(address.email);
  const details = changeDetails(
    member,
    {
      fullName: input.fullName ?? member.fullName,
      nickName: input.nickName ?? member.nickName,
      phone: input.phone === undefined ? member.phone : readPhone(input.phone),
      address: linesOf(address),
      country: /^(?:[A-Z]{2})?$/.test(country) ? country : null,
      locale: input.language === undefined ? member.locale : textOrNone(input.language),
    },
    now,
  );
  const emails = [
    [['email'], emailProblem(email)],
    [['address', 'email'], postalEmail === null ? null : emailProblem(postalEmail)],
  ] as const;
  refuseIfAny([
    ...emails.flatMap(([path, found]) => (found === null ? [] : [problem(path, codes[found])])),
    ...(input.phoneVerified === true && (input.phone ?? member.phone) === ''
      ? [problem('phoneVerified', 'phone_needed')]
      : []),
    ...(externalId === null ? [] : asPresent(lineProblem('externalId', externalId, externalIdLength))),
    ...(avatar === null || isPicture(avatar) ? [] : [problem('avatar', 'not_https')]),
    ...(details.kind === 'refused'
      ? details.problems.map((one) => problem(pathOf(one.field), codes[one.problem]))
      : []),
  ]);
  // Narrows the type: a refusal has problems.
  if (details.kind === 'refused') throw new Error('details were refused without a problem');
  const isSameEmail = normaliseEmail(email) === normaliseEmail(member.email);
  return {
    ...details.member,
    email,
    emailVerified: input.emailVerified ?? (member.emailVerified && isSameEmail),
    phoneVerified: input.phoneVerified ?? details.member.phoneVerified,
    avatar,
    externalId,
    address: { ...details.member.address, email: postalEmail },
  };
}

const asPresent = (found: Problem | null) => (found === null ? [] : [found]);

/** Makes sure that no other member is called so by another system. @throws OperationRefused */
export async function freeExternalId(
  tx: Tx,
  { tenantId, id, externalId }: Pick<Member, 'tenantId' | 'id' | 'externalId'>,
): Promise<void> {
  const known = externalId === null ? null : await findMemberByExternalId(tx, tenantId, externalId);
  if (known !== null && known !== id) throw conflict('externalId', 'external_id_taken');
}

function linesOf(address: Address): Record<(typeof addressLines)[number], string> {
  const { name, line1, postCode, postOffice, city } = address;
  return {
    name: name ?? '',
    line1: line1 ?? '',
    postCode: postCode ?? '',
    postOffice: postOffice ?? '',
    city: city ?? '',
  };
}

const isLine = (field: string) => field === 'country' || addressLines.some((line) => line === field);
const pathOf = (field: string) => (isLine(field) ? ['address', field] : [field]);

function isPicture(address: string): boolean {
  return (
    address.length <= returnAddressLength && URL.canParse(address) && new URL(address).protocol === 'https:'
  );
}

/** The portal's page of a member has the forms that are about one. */
export const ofMember = { page: 'members.read', reads: 'members.read' } as const;

/** Whether a member, as `members.read` answers, is not disabled. */
export const isEnabled = ({ status }: Thing) => status !== 'disabled';

/** The member of the tenant; one whose deletion is due is gone. @throws OperationRefused */
export async function memberFor(
  { tx, tenant, now }: OnTenant<OperationContext>,
  id: string,
): Promise<Member> {
  const member = await findMember(tx, tenant.id, id);
  if (member === null || isGone(member, now)) throw unknown('member');
  return member;
}

/**
 * The member, if the caller may act on it: an administrator's account is worth what its administrator can do.
 *
 * @throws OperationRefused
 */
export async function manageableMember(context: OnTenant<OperationContext>, id: string): Promise<Member> {
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
