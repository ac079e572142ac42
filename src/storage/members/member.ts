// Queries of members.
import type { Selection } from 'kysely';
import { type Member, normaliseEmail, phoneWords, searchWords } from '../../core/members/member.ts';

import { hashWork } from '../../core/members/password.ts';
import { prepared, query } from '../prepared.ts';
import { deleteRows, findRow, fromFlag, highest, rowsWith, toFlag, updateRow } from '../rows.ts';
import type { Database } from '../schema.ts';
import type { Tx } from '../store.ts';

/** A member with the hash of the password, which leaves the storage for the sign-in alone. */
export interface MemberWithPassword {
  readonly member: Member;
  /** PHC string (argon2id). */
  readonly passwordHash: string;
}

/** The member of a tenant by id, or null; one whose data were erased is not found. */
export async function findMember(tx: Tx, tenantId: string, id: string): Promise<Member | null> {
  const row = await rowOf.first(tx, { tenantId, id });
  return row === null ? null : memberOfRow(row);
}

/** The same with the hash of the password. */
export async function findMemberWithPassword(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<MemberWithPassword | null> {
  const row = await hashedRowOf.first(tx, { tenantId, id });
  return row === null ? null : { member: memberOfRow(row), passwordHash: row.passwordHash };
}

/** The columns that a member's record is made of. */
export const memberColumns = [
  'members.id',
  'members.tenantId',
  'members.userId',
  'members.memberNumber',
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

const byId = ({ tenantId, id }: Pick<Member, 'tenantId' | 'id'>) =>
  query
    .selectFrom('members')
    .select(memberColumns)
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .where('erasedAt', 'is', null);

const rowOf = prepared(byId);

const hashedRowOf = prepared((named: Pick<Member, 'tenantId' | 'id'>) => byId(named).select('passwordHash'));

/** The member of an id on any tenant: an administrator of one tenant may be a member of another. */
export async function findMemberAnywhere(tx: Tx, id: string): Promise<Member | null> {
  const row = await findRow(tx, 'members', { id });
  return row === null ? null : memberOfRow(row);
}

/** The member of a tenant by address, however it is written, with the hash of the password; or null. */
export async function findMemberByEmail(
  tx: Tx,
  tenantId: string,
  email: string,
): Promise<MemberWithPassword | null> {
  const named = { tenantId, normalisedEmail: normaliseEmail(email), erasedAt: null };
  const row = await findRow(tx, 'members', named);
  return row === null ? null : { member: memberOfRow(row), passwordHash: row.passwordHash };
}

/**
 * @param passwordSince when the password was chosen (ms): 0 where that is not known, null where it was never
 *   chosen
 */
export async function insertMember(
  tx: Tx,
  member: Member,
  passwordHash: string,
  passwordSince: number | null = member.createdAt,
): Promise<void> {
  await tx
    .insertInto('members')
    .values({
      ...toRow(member),
      emailSince: member.createdAt,
      passwordHash,
      passwordWork: hashWork(passwordHash),
      passwordSince,
      erasedAt: null,
    })
    .execute();
  await saveMemberWords(tx, member);
}

/** The next userId and memberNumber of a tenant. */
export async function nextMemberNumbers(
  tx: Tx,
  tenantId: string,
): Promise<{ userId: number; memberNumber: number }> {
  const userId = (await highest(tx, 'members', 'userId', { tenantId })) ?? 1_000;
  const memberNumber = (await highest(tx, 'members', 'memberNumber', { tenantId })) ?? 100_000;
  return { userId: userId + 1, memberNumber: memberNumber + 1 };
}

export async function updateMemberStatus(
  tx: Tx,
  { id, tenantId, status, updatedAt }: Pick<Member, 'id' | 'tenantId' | 'status' | 'updatedAt'>,
): Promise<void> {
  await updateRow(tx, 'members', { id, tenantId }, { status, updatedAt });
}

/**
 * @param since when another password was chosen (ms), null where it was never chosen; left out where the same one
 *   was hashed anew
 */
export async function updatePasswordHash(
  tx: Tx,
  id: string,
  passwordHash: string,
  since?: number | null,
): Promise<void> {
  const hashed = { passwordHash, passwordWork: hashWork(passwordHash) };
  await updateRow(tx, 'members', { id }, since === undefined ? hashed : { ...hashed, passwordSince: since });
}

/** When a member's password was chosen (ms): 0 where that is not known, null where there is none yet. */
export async function passwordSince(
  tx: Tx,
  { id, tenantId }: Pick<Member, 'id' | 'tenantId'>,
): Promise<number | null> {
  return (await findRow(tx, 'members', { id, tenantId }))?.passwordSince ?? null;
}

/** The work of the password of a tenant's that takes longest to check; 0 where there is none. */
export async function slowestPasswordWork(tx: Tx, tenantId: string): Promise<number> {
  return (await highest(tx, 'members', 'passwordWork', { tenantId })) ?? 0;
}

/** Stores what a member may change: names, address, telephone, language, e-mail address, deletion. */
export async function updateMember(tx: Tx, member: Member): Promise<void> {
  const { id, tenantId, userId: _userId, memberNumber: _memberNumber, ...row } = toRow(member);
  const { status: _status, userType: _userType, createdAt: _createdAt, ...changed } = row;
  const isMoved = await noteFormerAddress(tx, member);
  const changes = isMoved ? { ...changed, emailSince: changed.updatedAt } : changed;
  await updateRow(tx, 'members', { id, tenantId, erasedAt: null }, changes);
  await saveMemberWords(tx, member);
}

/**
 * Remembers the address that a member is about to give up.
 *
 * @param member with the new address
 * @returns false if it is the old one
 */
async function noteFormerAddress(
  tx: Tx,
  { id, email, updatedAt }: Pick<Member, 'id' | 'email' | 'updatedAt'>,
): Promise<boolean> {
  const old = await tx
    .selectFrom('members')
    .select('normalisedEmail')
    .where('id', '=', id)
    .where('normalisedEmail', '!=', normaliseEmail(email))
    .executeTakeFirst();
  if (old === undefined) return false;
  await tx
    .insertInto('formerAddresses')
    .values({ memberId: id, email: old.normalisedEmail, givenUpAt: updatedAt })
    .onConflict((conflict) => conflict.columns(['memberId', 'email']).doUpdateSet({ givenUpAt: updatedAt }))
    .execute();
  return true;
}

/** What a member may do beyond being one. */
export async function updateUserType(
  tx: Tx,
  { id, tenantId, userType, updatedAt }: Pick<Member, 'id' | 'tenantId' | 'userType' | 'updatedAt'>,
): Promise<void> {
  await updateRow(tx, 'members', { id, tenantId }, { userType, updatedAt });
}

/** Stores the words that a member is found by, in place of those before. */
async function saveMemberWords(tx: Tx, { id, tenantId, fullName, nickName, phone }: Member): Promise<void> {
  await deleteRows(tx, 'memberWords', { memberId: id });
  for (const word of new Set([...searchWords(`${fullName} ${nickName}`), ...phoneWords(phone)])) {
    await tx.insertInto('memberWords').values({ tenantId, word, memberId: id }).execute();
  }
}

/** The members whose deletion is due and whose data are still there, the longest due first. */
export async function listDueMembers(tx: Tx, now: number, most: number): Promise<readonly Member[]> {
  const rows = rowsWith(tx, 'members', { erasedAt: null }).where('deletionDueAt', '<=', now);
  return (await rows.orderBy('deletionDueAt').limit(most).execute()).map(memberOfRow);
}

/** A stored row as the record it is of. */
export function memberOfRow(row: MemberColumns): Member {
  return {
    id: row.id,
    tenantId: row.tenantId,
    userId: row.userId,
    memberNumber: row.memberNumber,
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

function toRow({ address, ...member }: Member) {
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
