// What members change of their own accounts: address, password, deletion, and what was not their doing.
import { countingWindow } from '../../core/limits.ts';
import { changeDetails, type DetailProblem, type Details } from '../../core/members/details.ts';
import type { EmailProof, Presented } from '../../core/members/email-proof.ts';
import { detailChangesPerHour } from '../../core/members/limits.ts';
import { cancelDeletion, isGone, type Member, requestDeletion } from '../../core/members/member.ts';
import { findDeviceCodeById } from '../../storage/grants/device-code.ts';
import { findSession } from '../../storage/grants/session.ts';
import { findEmailProof } from '../../storage/members/email-proof.ts';
import { findMember, findMemberByEmail, updateMember } from '../../storage/members/member.ts';
import { type RateLimiter, takeIn } from '../../storage/memory/rate-limit.ts';
import { hasSystemAdmin } from '../../storage/service.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import { signOutDevice } from '../device/decide-device.ts';
import {
  type Asker,
  askForProof,
  forgetMailedLinks,
  type MemberDeps,
  useUpProof,
} from '../email-proof/email-proof.ts';
import { toMember } from '../mail/mailer.ts';
import { signOutApps, signOutSession } from '../session/session.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/**
 * Changes what members say of themselves: all of it, or none with every problem (pages 6, 18).
 *
 * @param missing what the form must have and does not
 * @returns what was wrong; empty if it is changed
 */
export async function changeOwnDetails(
  tx: Tx,
  member: Member,
  details: Details,
  now: number,
  missing: readonly DetailProblem[] = [],
): Promise<readonly DetailProblem[]> {
  const changed = changeDetails(member, details, now);
  if (changed.kind === 'refused') return [...missing, ...changed.problems];
  if (missing.length > 0) return missing;
  await updateMember(tx, changed.member);
  await auditDeed(tx, { event: 'member_changed', memberId: member.id, target: member.id });
  return [];
}

/**
 * Counts a change that a member makes of herself, in the transaction that makes it (EV27).
 *
 * @returns null if it is allowed, else the seconds to wait
 */
export const takeDetailChange = (
  tx: Tx,
  { members }: RateLimiter,
  { id }: Pick<Member, 'id'>,
): Promise<number | null> => takeIn(tx, members, `details ${id}`, detailChangesPerHour, countingWindow.hour);

/** A member chose a language, which mails are written in too. */
export async function changeOwnLanguage(tx: Tx, member: Member, locale: string, now: number): Promise<void> {
  if (member.locale === locale) return;
  await updateMember(tx, { ...member, locale, updatedAt: now });
  await auditDeed(tx, { event: 'member_changed', memberId: member.id, target: member.id });
}

/** The request for a change of address. */
export interface EmailChangePayload {
  /** The new address as it was typed. */
  readonly email: string;
}

/**
 * A member wants another address: a mail goes there, and the address changes when it is proven. One that has
 * an account already gets no mail, and the answer is the same.
 *
 * @returns the id of the proof; null if the address is sent no more mails now
 */
export async function askForEmailChange(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { email, language, asker }: { readonly email: string; readonly language: string; readonly asker: Asker },
  deps: MemberDeps,
): Promise<string | null> {
  const payload: EmailChangePayload = { email: email.trim() };
  const facts = { purpose: 'email_change', email, memberId: member.id, payload, asker } as const;
  const known = await findMemberByEmail(tx, tenant.id, email);
  const isFree = known === null || isGone(known.member, deps.clock());
  const asked = await askForProof(tx, tenant, { ...facts, isMailed: isFree }, deps);
  if (asked === null) return null;
  if (isFree) {
    await deps.mails.queue(tx, tenant, {
      ...toMember(member, language),
      name: 'emailChange',
      to: payload.email,
      code: asked.code,
      link: `${tenant.issuer}/account/email/confirm/${asked.link}`,
    });
  }
  return asked.proof.id;
}

/** The proof, if it is of this very member's new address; else null. */
export function ownEmailChange({ id }: Pick<Member, 'id'>, proof: EmailProof | null): EmailProof | null {
  return proof?.purpose === 'email_change' && proof.memberId === id ? proof : null;
}

/**
 * Presents what proves the new address of a member, and changes it if that was good. The old address is told.
 *
 * @param proof the member's own, as it stands in this very transaction
 * @returns null if the address is the member's now, else the proof as it stands after that
 */
export async function changeEmail(
  tx: Tx,
  tenant: OpenTenant,
  { proof, member }: { readonly proof: EmailProof; readonly member: Member },
  presented: Presented,
  deps: MemberDeps,
): Promise<EmailProof | null> {
  const now = deps.clock();
  const { email } = JSON.parse(proof.payload) as EmailChangePayload;
  const left = async () => (await findEmailProof(tx, tenant.id, proof.id)) ?? proof;
  if (!(await useUpProof(tx, proof, presented, now))) return left();
  // The address may have got an account since it was asked for.
  const known = await findMemberByEmail(tx, tenant.id, email);
  if (known !== null && known.member.id !== member.id) return left();
  await updateMember(tx, { ...member, email, emailVerified: true, updatedAt: now });
  await forgetMailedLinks(tx, member.id);
  await auditDeed(tx, { event: 'email_changed', memberId: member.id, target: member.id });
  await deps.mails.queue(tx, tenant, {
    ...toMember(member, undefined, { email, time: now }),
    name: 'emailChanged',
  });
  return null;
}

/**
 * A member asks to be deleted; the mail says when, and how to keep the account.
 *
 * @returns whether that may be: nothing was done for the last who administers everything
 */
export async function askForDeletion(
  tx: Tx,
  tenant: OpenTenant,
  memberId: string,
  language: string,
  deps: MemberDeps,
): Promise<boolean> {
  const member = await findMember(tx, tenant.id, memberId);
  const leaving =
    member === null ? null : requestDeletion(member, tenant.limits.deletionCoolingOff, deps.clock());
  if (leaving === null) return true;
  if (leaving.userType === 'system_admin' && !(await hasSystemAdmin(tx, memberId))) return false;
  await updateMember(tx, leaving);
  await auditDeed(tx, { event: 'member_deletion_asked', memberId, target: memberId });
  await deps.mails.queue(tx, tenant, {
    ...toMember(leaving, language, { date: leaving.deletionDueAt ?? 0 }),
    country: leaving.address.country,
    name: 'deletionRequested',
    link: `${tenant.issuer}/account`,
  });
  return true;
}

/** A member keeps the account after all. */
export async function keepAccount(
  tx: Tx,
  tenant: OpenTenant,
  memberId: string,
  language: string,
  deps: MemberDeps,
): Promise<void> {
  const member = await findMember(tx, tenant.id, memberId);
  const staying = member === null ? null : cancelDeletion(member, deps.clock());
  if (staying === null) return;
  await updateMember(tx, staying);
  await auditDeed(tx, { event: 'member_deletion_cancelled', memberId, target: memberId });
  await deps.mails.queue(tx, tenant, {
    ...toMember(staying, language),
    name: 'deletionCancelled',
    link: `${tenant.issuer}/account`,
  });
}

/** Whose and when, of what is taken back. */
type Taken = Readonly<{ tenantId: string; memberId: string; now: number }>;

/** Ends a session that was not the member's doing, with every app that was signed in and every TV approved in it. */
export async function endForeignSession(
  tx: Tx,
  sessionId: string,
  { tenantId, memberId, now }: Taken,
): Promise<void> {
  const session = await findSession(tx, tenantId, sessionId);
  if (session?.memberId !== memberId) return;
  await auditDeed(tx, { event: 'device_reported', memberId, target: sessionId, reason: 'a browser' });
  await signOutSession(tx, session);
  await signOutApps(tx, memberId, 'signed_out', now, sessionId);
}

/** Takes back the approval of a TV, and ends the sign-in that it began. */
export async function endForeignDevice(
  tx: Tx,
  deviceCodeId: string,
  { tenantId, memberId, now }: Taken,
): Promise<void> {
  const code = await findDeviceCodeById(tx, tenantId, deviceCodeId);
  if (code?.memberId !== memberId) return;
  const facts = { memberId, clientId: code.clientId, target: deviceCodeId, reason: 'a TV or app' };
  await auditDeed(tx, { event: 'device_reported', ...facts });
  await signOutDevice(tx, code, now);
}
