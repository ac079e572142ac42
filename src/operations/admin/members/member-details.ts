// Applies what an input says of a member.
import { returnAddressLength } from '../../../core/access/limits.ts';
import {
  addressLines,
  changeDetails,
  type DetailProblem,
  emailProblem,
} from '../../../core/members/details.ts';
import { type Address, type Member, normaliseEmail } from '../../../core/members/member.ts';
import { type ProblemCode, problem } from '../../../core/problem.ts';
import type * as s from '../../../json-schema.ts';
import { readPhone } from '../../../text/phone.ts';
import { refuseIfAny } from '../../refusal.ts';
import { textOrNone } from '../define.ts';
import type { memberFields, provenChangeFields } from './member.ts';

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
    address: { ...details.member.address, email: postalEmail },
  };
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
