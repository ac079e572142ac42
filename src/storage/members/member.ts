// Queries of members.
import { keptWork } from '../../core/hashes/hash-work.ts';
import { type Member, normaliseEmail, phoneWords, searchWords } from '../../core/members/member.ts';
import { insertions } from '../bulk.ts';
import { tell, tellAll } from '../events/event.ts';
import { prepared, query } from '../prepared.ts';
import { deleteRows, findRow, highest, rowsWith, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';
import { memberColumns, memberOfRow, rowOfMember } from './member-row.ts';

/** A member with the hash of the password, which leaves the storage for the sign-in alone. */
export interface MemberWithPassword {
  readonly member: Member;
  /** A hash of ours (a PHC string of argon2id), or one of another system that we know (`readStoredHash`). */
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

const byId = ({ tenantId, id }: Pick<Member, 'tenantId' | 'id'>) =>
  query
    .selectFrom('members')
    .select(memberColumns)
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .where('erasedAt', 'is', null);

const rowOf = prepared(byId, { isBatched: true });

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
  const row = await rowByEmail.first(tx, { tenantId, normalisedEmail: normaliseEmail(email) });
  return row === null ? null : { member: memberOfRow(row), passwordHash: row.passwordHash };
}

const rowByEmail = prepared((named: { tenantId: string; normalisedEmail: string }) =>
  query
    .selectFrom('members')
    .select([...memberColumns, 'passwordHash'])
    .where('tenantId', '=', named.tenantId)
    .where('normalisedEmail', '=', named.normalisedEmail)
    .where('erasedAt', 'is', null),
);

/** The id of the member of a tenant whom another system calls so; or null. */
export async function findMemberByExternalId(
  tx: Tx,
  tenantId: string,
  externalId: string,
): Promise<string | null> {
  return (await calledSo.first(tx, { tenantId, externalId }))?.id ?? null;
}

const calledSo = prepared(({ tenantId, externalId }: { tenantId: string; externalId: string }) =>
  query
    .selectFrom('members')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('externalId', '=', externalId),
);

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
  await insertMembers(tx, [{ member, passwordHash, passwordSince }]);
}

/** A member who is new, as `insertMember` is told of one. */
export interface NewMember extends MemberWithPassword {
  readonly passwordSince: number | null;
}

/** The same of many. */
export async function insertMembers(tx: Tx, added: readonly NewMember[]): Promise<void> {
  const rows = added.map(({ member, passwordHash, passwordSince }) => ({
    ...rowOfMember(member),
    emailSince: member.createdAt,
    passwordHash,
    ...keptWork(passwordHash),
    passwordSince,
    erasedAt: null,
  }));
  await insertRows(tx, rows);
  await insertWords(
    tx,
    added.map(({ member }) => member),
  );
  await tellAll(
    tx,
    added.map(({ member }) => ({ write: 'insertMember', member })),
  );
}

const insertRows = insertions('members');

/** The next userId and memberNumber of a tenant. */
export async function nextMemberNumbers(
  tx: Tx,
  tenantId: string,
): Promise<{ userId: number; memberNumber: number }> {
  const userId = (await highest(tx, 'members', 'userId', { tenantId })) ?? 1_000;
  const memberNumber = (await highest(tx, 'members', 'memberNumber', { tenantId })) ?? 100_000;
  return { userId: userId + 1, memberNumber: memberNumber + 1 };
}

/** Lets a member sign in, or no longer. */
export async function updateMemberStatus(
  tx: Tx,
  member: Member,
  { status, updatedAt }: Pick<Member, 'status' | 'updatedAt'>,
): Promise<void> {
  const { id, tenantId } = member;
  await updateRow(tx, 'members', { id, tenantId }, { status, updatedAt });
  await tell(tx, { write: 'updateMember', before: member, after: { ...member, status, updatedAt } });
}

/**
 * @param since when another password was chosen (ms), null where it was never chosen; left out where the same one
 *   was hashed anew
 */
export async function updatePasswordHash(
  tx: Tx,
  { id, tenantId }: Pick<Member, 'id' | 'tenantId'>,
  passwordHash: string,
  since?: number | null,
): Promise<void> {
  const hashed = { passwordHash, ...keptWork(passwordHash) };
  await updateRow(
    tx,
    'members',
    { id, tenantId },
    since === undefined ? hashed : { ...hashed, passwordSince: since },
  );
  if (since === undefined) return;
  await tell(tx, { write: 'changePassword', of: { tenantId, memberId: id }, isRemoved: since === null });
}

/** When a member's password was chosen (ms): 0 where that is not known, null where there is none yet. */
export async function passwordSince(
  tx: Tx,
  { id, tenantId }: Pick<Member, 'id' | 'tenantId'>,
): Promise<number | null> {
  return (await findRow(tx, 'members', { id, tenantId }))?.passwordSince ?? null;
}

/** Stores what a member may change: names, address, telephone, language, e-mail address, deletion. */
export async function updateMember(tx: Tx, member: Member): Promise<void> {
  const { id, tenantId, userId: _userId, memberNumber: _memberNumber, ...row } = rowOfMember(member);
  const { status: _status, userType: _userType, createdAt: _createdAt, ...changed } = row;
  const before = await findMember(tx, tenantId, id);
  const isMoved = before !== null && (await noteFormerAddress(tx, before, member));
  const changes = isMoved ? { ...changed, emailSince: changed.updatedAt } : changed;
  await updateRow(tx, 'members', { id, tenantId, erasedAt: null }, changes);
  await saveMemberWords(tx, member);
  if (before === null) return;
  const { status, userType } = before;
  await tell(tx, { write: 'updateMember', before, after: { ...member, status, userType } });
}

/**
 * Remembers the address that a member is about to give up.
 *
 * @returns false if the new one is the old one
 */
async function noteFormerAddress(
  tx: Tx,
  { id, email: former }: Pick<Member, 'id' | 'email'>,
  { email, updatedAt }: Pick<Member, 'email' | 'updatedAt'>,
): Promise<boolean> {
  const old = normaliseEmail(former);
  if (old === normaliseEmail(email)) return false;
  await tx
    .insertInto('formerAddresses')
    .values({ memberId: id, email: old, givenUpAt: updatedAt })
    .onConflict((conflict) => conflict.columns(['memberId', 'email']).doUpdateSet({ givenUpAt: updatedAt }))
    .execute();
  return true;
}

/** The addresses that a member gave up lately. */
export async function listFormerAddresses(tx: Tx, memberId: string): Promise<readonly string[]> {
  return (await rowsWith(tx, 'formerAddresses', { memberId }).execute()).map(({ email }) => email);
}

/** What a member may do beyond being one. */
export async function updateUserType(
  tx: Tx,
  member: Member,
  { userType, updatedAt }: Pick<Member, 'userType' | 'updatedAt'>,
): Promise<void> {
  const { id, tenantId } = member;
  await updateRow(tx, 'members', { id, tenantId }, { userType, updatedAt });
  await tell(tx, { write: 'updateMember', before: member, after: { ...member, userType, updatedAt } });
}

/** Stores the words that a member is found by, in place of those before. */
async function saveMemberWords(tx: Tx, member: Member): Promise<void> {
  await deleteRows(tx, 'memberWords', { memberId: member.id });
  await insertWords(tx, [member]);
}

async function insertWords(tx: Tx, members: readonly Member[]): Promise<void> {
  const rows = members.flatMap(({ id: memberId, tenantId, fullName, nickName, phone }) =>
    [...new Set([...searchWords(`${fullName} ${nickName}`), ...phoneWords(phone)])].map((word) => ({
      tenantId,
      word,
      memberId,
    })),
  );
  await insertWordRows(tx, rows);
}

const insertWordRows = insertions('memberWords');

/** The members whose deletion is due and whose data are still there, the longest due first. */
export async function listDueMembers(tx: Tx, now: number, most: number): Promise<readonly Member[]> {
  const rows = rowsWith(tx, 'members', { erasedAt: null }).where('deletionDueAt', '<=', now);
  return (await rows.orderBy('deletionDueAt').limit(most).execute()).map(memberOfRow);
}
