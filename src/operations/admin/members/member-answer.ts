// How operations take and answer a member.
import { memberTextLength } from '../../../core/members/limits.ts';
import type { Member } from '../../../core/members/member.ts';
import { memberDetails } from '../../../core/members/member-data.ts';
import {
  flag,
  held,
  lineRule,
  named,
  nameRule,
  oneOf,
  resource,
  type Schema,
  text,
  textOrNull,
  time,
  timeOrNull,
  wholeNumber,
} from '../../../json-schema.ts';
import { languages } from '../../../text/language.ts';
import type { Fields } from '../define.ts';
import { orNull, someOf } from '../fields.ts';

/** Which member an operation is about. */
export const memberField = text(
  'The member: the id, or the address to sign in with',
  '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02',
);
export const memberIdField = named(
  'MemberId',
  text('The id of the member', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02'),
);
export const fullNameField = held(text('The full name', 'Ada Nilsen'), nameRule(memberTextLength.fullName));
export const emailField = held(
  text('The address to sign in with', 'ada.nilsen@example.com'),
  nameRule(memberTextLength.email),
);
export const userTypeField = oneOf('UserType', 'What the member may do beyond being one', [
  'member',
  'tenant_admin',
  'system_admin',
]);
export const statusField = oneOf('MemberStatus', 'Whether the member may sign in', ['active', 'disabled']);

const addressFields: Readonly<Record<string, Schema>> = {
  line1: textOrNull('Street and number', 'Storgata 1'),
  city: textOrNull('City', 'Oslo'),
  postCode: textOrNull('Post code', '0155'),
  postOffice: textOrNull('Post office', 'Oslo'),
  country: textOrNull('Two-letter country code (ISO 3166-1)', 'NO'),
  name: textOrNull('The name on the letter box', 'Ada Nilsen'),
  email: textOrNull('An address for what is sent there', null),
};

/** The postal address of a member. */
export const addressSchema = resource('Address', 'The postal address', addressFields);

/** What can be said of a member when it is made, and later; an empty text takes a detail away. */
export const memberFields: Fields = {
  nickName: held(
    text('What others call the member; may be empty', 'Ada'),
    lineRule(memberTextLength.nickName),
  ),
  phone: text('In international format with its +; may be empty', '+4791234567'),
  avatar: textOrNull('The https address of a picture', null),
  language: {
    ...orNull(oneOf('LanguageOrNone', 'The language of mails and pages', languages)),
    enum: [...languages, '', null],
    examples: ['nb'],
  },
  address: named(
    'AddressChanges',
    someOf('The postal address; what is left out stays as it is', addressFields),
  ),
};

/** What counts as proven because an operator says so: of a new member, and of one that is there. */
export const provenFields: Fields = {
  emailVerified: { ...flag('Whether the address counts as proven'), default: false, examples: [false] },
  phoneVerified: {
    ...flag('Whether the telephone number counts as proven'),
    default: false,
    examples: [false],
  },
};
const asBefore = 'as before, and no for another one';
export const provenChangeFields: Fields = {
  emailVerified: orNull(flag('Whether the address counts as proven'), asBefore),
  phoneVerified: orNull(flag('Whether the number counts as proven'), asBefore),
};

/** The fields of a member that every face shows. */
export const memberSchema = resource('Member', 'A member', {
  id: memberIdField,
  userId: wholeNumber('The number of the account', 1_001),
  memberNumber: wholeNumber('The number of the membership', 501_001),
  userType: userTypeField,
  status: statusField,
  email: emailField,
  emailVerified: flag('Whether the address was proven'),
  fullName: fullNameField,
  ...memberFields,
  phoneVerified: flag('Whether the telephone number was proven'),
  language: textOrNull('The language of mails and pages; null is what the browser asks for', 'nb'),
  address: addressSchema,
  createdAt: time('When the account was made'),
  updatedAt: time('When it was last changed'),
  deletionDueAt: timeOrNull('When it is deleted, if its member asked for that', null),
});

export function memberAnswer(member: Member) {
  const { id, userId, memberNumber, userType, ...details } = memberDetails(member);
  return { id, userId, memberNumber, userType, status: member.status, ...details };
}
