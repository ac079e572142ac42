import { returnAddressLength } from '../../../core/access/limits.ts';
import { addressLines, changeDetails } from '../../../core/members/change-details.ts';
import { emailProblem } from '../../../core/members/details.ts';
import { type Address, type Member, normaliseEmail } from '../../../core/members/member.ts';
import { readPhone } from '../../../phone.ts';
import { textOrNone } from '../fields.ts';
import { OperationRefused } from '../operation.ts';

/** What an input says of a member. */
export interface MemberInput {
  readonly fullName?: string;
  readonly email?: string;
  readonly nickName?: string;
  readonly phone?: string;
  readonly avatar?: string | null;
  readonly language?: string | null;
  readonly address?: Partial<Address>;
  /** Left out or null: as it is, unless what it is about changes. */
  readonly emailVerified?: boolean | null;
  readonly phoneVerified?: boolean | null;
}

const words = {
  missing: 'is missing',
  long: 'is too long',
  unfit: 'has a character that cannot be seen',
  malformed: 'is malformed',
  unknown: 'is not known',
} as const;

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
    ['email', emailProblem(email)],
    ['address.email', postalEmail === null ? null : emailProblem(postalEmail)],
  ] as const;
  const problems = [
    ...emails.flatMap(([field, problem]) => (problem === null ? [] : [`${field} ${words[problem]}`])),
    ...(input.phoneVerified === true && (input.phone ?? member.phone) === ''
      ? ['phoneVerified needs a phone']
      : []),
    ...(avatar === null || isPicture(avatar) ? [] : ['avatar is not an https address']),
    ...(details.kind === 'refused'
      ? details.problems.map(({ field, problem }) => `${nameOf(field)} ${words[problem]}`)
      : []),
  ];
  if (problems.length > 0 || details.kind === 'refused') throw new OperationRefused('invalid', problems);
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
const nameOf = (field: string) => (isLine(field) ? `address.${field}` : field);

function isPicture(address: string): boolean {
  return (
    address.length <= returnAddressLength && URL.canParse(address) && new URL(address).protocol === 'https:'
  );
}
