// A member's row, and the record that it is.
import type { Selection } from 'kysely';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { fromFlag, toFlag } from '../rows.ts';
import type { Database } from '../schema.ts';

/** The columns that a member's record is made of. */
export const memberColumns = [
  'members.id',
  'members.tenantId',
  'members.userId',
  'members.memberNumber',
  'members.externalId',
  'members.email',
  'members.emailVerified',
  'members.fullName',
  'members.nickName',
  'members.phone',
  'members.phoneVerified',
  'members.avatar',
  'members.locale',
  'members.userType',
  'members.status',
  'members.addressLine1',
  'members.addressCity',
  'members.addressPostCode',
  'members.addressPostOffice',
  'members.addressCountry',
  'members.addressName',
  'members.addressEmail',
  'members.createdAt',
  'members.updatedAt',
  'members.deletionDueAt',
] as const;

/** A row of those. */
export type MemberColumns = Selection<Database, 'members', (typeof memberColumns)[number]>;

/** A stored row as the record it is of. */
export function memberOfRow(row: MemberColumns): Member {
  return {
    id: row.id,
    tenantId: row.tenantId,
    userId: row.userId,
    memberNumber: row.memberNumber,
    externalId: row.externalId,
    email: row.email,
    emailVerified: fromFlag(row.emailVerified),
    fullName: row.fullName,
    nickName: row.nickName,
    phone: row.phone,
    phoneVerified: fromFlag(row.phoneVerified),
    avatar: row.avatar,
    locale: row.locale,
    userType: row.userType,
    status: row.status,
    address: {
      line1: row.addressLine1,
      city: row.addressCity,
      postCode: row.addressPostCode,
      postOffice: row.addressPostOffice,
      country: row.addressCountry,
      name: row.addressName,
      email: row.addressEmail,
    },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    deletionDueAt: row.deletionDueAt,
  };
}

/** A member's record as it is stored. */
export function rowOfMember({ address, ...member }: Member) {
  return {
    ...member,
    normalisedEmail: normaliseEmail(member.email),
    emailVerified: toFlag(member.emailVerified),
    phoneVerified: toFlag(member.phoneVerified),
    addressLine1: address.line1,
    addressCity: address.city,
    addressPostCode: address.postCode,
    addressPostOffice: address.postOffice,
    addressCountry: address.country,
    addressName: address.name,
    addressEmail: address.email,
  };
}
