// Gives members a new password by a link in a mail.

import { type Member, maySignIn, normaliseEmail } from '../../core/members/member.ts';
import { hashEmail } from '../../core/members/member-limits.ts';
import { usesPassword } from '../../core/members/ways-in.ts';
import { invitationLifetime } from '../../core/operators/limits.ts';
import { apply } from '../../storage/apply.ts';
import { findEmailProofByLink } from '../../storage/members/email-proof.ts';
import { clearSignInFailures } from '../../storage/members/guesses/sign-in-failure.ts';
import { distrustBrowsers, isKnownBrowser } from '../../storage/members/known-browser.ts';
import {
  findMember,
  findMemberByEmail,
  updateMember,
  updatePasswordHash,
} from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import {
  type Asker,
  askForProof,
  forgetMailedLinks,
  type MemberDeps,
  newProof,
  useUpProof,
} from '../email-proof/email-proof.ts';
import { toMember } from '../mail/mailer.ts';
import { signOutEverywhere } from '../session/session.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What a forgotten password was asked for with. */
export interface RecoverPayload {
  readonly language: string;
  /** The flow to go on with after signing in, in the browser that asked (F5); an invitation has none. */
  readonly flow?: unknown;
}

/**
 * Mails the owner of an address a link for a new password. An address without an account gets nothing, nor does a member who
 * has no password here.
 *
 * @returns false if the address is sent no more mails now, whether it has an account or not
 */
export async function askForRecovery(
  tx: Tx,
  tenant: OpenTenant,
  email: string,
  { asker, payload }: { readonly asker: Asker; readonly payload: RecoverPayload },
  deps: MemberDeps,
): Promise<boolean> {
  const found = await findMemberByEmail(tx, tenant.id, email);
  const memberId = found?.member.id ?? null;
  const mayChoose =
    found !== null && maySignIn(found.member, deps.clock()) && usesPassword(tenant, found.member);
  const member = mayChoose ? found.member : null;
  // A row is written for an unknown address too, so that it takes as long and counts as much; it holds nothing.
  const kept = member === null ? {} : payload;
  const about = { purpose: 'password_reset', email, memberId, payload: kept, asker } as const;
  // Looked up for an address without an account too, so that it takes as long.
  const isKnown = await isKnownBrowser(tx, memberId ?? '', asker.askedBy);
  const asked = await askForProof(tx, tenant, { ...about, isMailed: member !== null, isKnown }, deps);
  if (asked === null) return false;
  if (member === null) return true;
  await deps.mails.queue(tx, tenant, {
    ...toMember(member, member.locale ?? payload.language),
    name: 'passwordReset',
    link: `${tenant.issuer}/recover/reset/${asked.link}`,
  });
  return true;
}

/**
 * Mails a member a link for a password because an operator wants that: for a first one, which works for days,
 * or for a new one. What strangers asked for keeps no operator from it (F6); how
 * many operators send is counted where they do. Where members have no passwords the mail leads to the
 * sign-in.
 *
 * @returns until when the link works (ms); null where that has no end
 */
export async function mailPasswordLink(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  mail: 'invitation' | 'passwordReset',
  deps: MemberDeps,
): Promise<number | null> {
  const isInvitation = mail === 'invitation';
  const language = member.locale ?? tenant.languages[0] ?? 'en';
  if (!usesPassword(tenant, member)) {
    const link = `${tenant.issuer}/sign-in`;
    await deps.mails.queue(tx, tenant, { ...toMember(member, language), name: 'invitationToCode', link });
    return null;
  }
  const payload: RecoverPayload = { language };
  const asker: Asker = { askedBy: '', askedFrom: '' };
  const about = { purpose: 'password_reset', email: member.email, memberId: member.id } as const;
  const { proof: made, link } = newProof(tenant, { ...about, payload, asker }, deps);
  const proof = isInvitation ? { ...made, expiresAt: made.createdAt + invitationLifetime } : made;
  const reason = isInvitation ? 'invited' : 'an operator sent the mail';
  await apply(tx, [{ write: 'insertEmailProof', proof }], { reason });
  await deps.mails.queue(tx, tenant, {
    ...toMember(member, language),
    name: mail,
    link: `${tenant.issuer}/recover/reset/${link}`,
  });
  return proof.expiresAt;
}

/**
 * Sets a new password by a recovery link, which works once (pages 10; security, Defaults).
 *
 * @param everywhere whether all sessions and sign-ins of the member end with it
 * @returns whether the link was good
 */
export async function resetPassword(
  tx: Tx,
  tenant: OpenTenant,
  linkHash: string,
  passwordHash: string,
  everywhere: boolean,
  deps: MemberDeps,
): Promise<boolean> {
  const now = deps.clock();
  const found = await findEmailProofByLink(tx, tenant.id, linkHash);
  if (found?.purpose !== 'password_reset' || found.memberId === null) return false;
  const member = await findMember(tx, tenant.id, found.memberId);
  // An address that the member gave up opens nothing: others may read it by now.
  if (!maySignIn(member, now) || normaliseEmail(member.email) !== found.email) return false;
  if (!(await useUpProof(tx, found, { by: 'link' }, now))) return false;
  // The person who had the link reads the address it was sent to.
  if (!member.emailVerified) {
    await updateMember(tx, { ...member, emailVerified: true, updatedAt: now });
  }
  const reason = 'by the link of a mail';
  await replacePassword(tx, tenant, member, { passwordHash, everywhere, reason }, deps);
  return true;
}

/** A password that takes the place of another one. */
interface NewPassword {
  readonly passwordHash: string;
  /** Whether all sessions and sign-ins of the member end with it. */
  readonly everywhere: boolean;
  /** The actor who sets it without knowing the one before, for the audit. */
  readonly reason?: string | null;
  /** Where a member who knows the one before sets it, for the mail that tells of it. That session stays. */
  readonly origin?: { readonly sessionId: string; readonly place: string; readonly language: string };
}

/** Sets another password, and tells the member. */
export async function replacePassword(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { passwordHash, everywhere, reason = null, origin }: NewPassword,
  { clock, mails }: Pick<MemberDeps, 'clock' | 'mails'>,
): Promise<void> {
  const now = clock();
  await updatePasswordHash(tx, member, passwordHash, now);
  await auditDeed(tx, { event: 'password_changed', memberId: member.id, target: member.id, reason });
  await forgetMailedLinks(tx, member.id);
  // A browser was trusted beside the password that is gone.
  await distrustBrowsers(tx, member.id);
  // A member who was kept out by another's guessing, or by their own, comes in with the new password at once.
  await clearSignInFailures(tx, tenant.id, hashEmail(member.email));
  if (everywhere) await signOutEverywhere(tx, member.id, now, origin?.sessionId);
  await mails.queue(tx, tenant, {
    ...toMember(member, origin?.language, origin === undefined ? {} : { place: origin.place, time: now }),
    name: 'passwordChanged',
    link: `${tenant.issuer}/recover`,
  });
}
