// Gives members a new password by a link in a mail.
import { invitationLifetime } from '../../core/limits.ts';
import { withdrawProof } from '../../core/members/email-proof.ts';
import { type Member, maySignIn, normaliseEmail } from '../../core/members/member.ts';
import { hashEmail } from '../../core/members/member-limits.ts';
import { apply } from '../../storage/apply.ts';
import { findEmailProofByLink, listOpenEmailProofs } from '../../storage/members/email-proof.ts';
import { isKnownBrowser } from '../../storage/members/known-browser.ts';
import {
  findMember,
  findMemberByEmail,
  updateMember,
  updatePasswordHash,
} from '../../storage/members/member.ts';
import { clearSignInFailures } from '../../storage/members/sign-in-failure.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import { signOutEverywhere } from '../session/sign-out.ts';
import {
  type Asker,
  type MemberDeps,
  mayMail,
  newProof,
  useUpProof,
  withoutDigits,
} from '../sign-up/sign-up.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What a forgotten password was asked for with. */
export interface RecoverPayload {
  readonly language: string;
  /** The flow to go on with after signing in, in the browser that asked (F5); an invitation has none. */
  readonly flow?: unknown;
}

/**
 * Mails the owner of an address a link for a new password. An address without an account gets nothing.
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
  const { proof, link } = newProof(
    tenant,
    { purpose: 'password_reset', email, memberId: found?.member.id ?? null, payload, asker },
    deps,
  );
  const now = deps.clock();
  // Looked up for an address without an account too, so that it takes as long.
  const isKnown = await isKnownBrowser(tx, proof.memberId ?? '', asker.askedBy);
  if (!(await mayMail(tx, proof, now, isKnown))) return false;
  const member = found !== null && maySignIn(found.member, now) ? found.member : null;
  // A row is written for an unknown address too, so that it takes as long and counts as much; it holds nothing.
  const kept = member !== null ? proof : { ...withoutDigits(proof), payload: '{}' };
  await apply(tx, [{ write: 'insertEmailProof', proof: kept }]);
  if (member === null) return true;
  await deps.mails.queue(tx, tenant, {
    name: 'passwordReset',
    to: member.email,
    language: member.locale ?? payload.language,
    values: { fullName: member.fullName },
    link: `${tenant.issuer}/recover/reset/${link}`,
  });
  return true;
}

/**
 * Mails a member a link for a password because an operator wants that: for a first one, which works for days,
 * or for a new one. An operator is not held to the mails of an hour (F6).
 *
 * @returns until when it works (ms)
 */
export async function mailPasswordLink(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  mail: 'invitation' | 'passwordReset',
  deps: MemberDeps,
): Promise<number> {
  const isInvitation = mail === 'invitation';
  const language = member.locale ?? tenant.languages[0] ?? 'en';
  const payload: RecoverPayload = { language };
  const asker: Asker = { askedBy: '', askedFrom: '' };
  const about = { purpose: 'password_reset', email: member.email, memberId: member.id } as const;
  const { proof: made, link } = newProof(tenant, { ...about, payload, asker }, deps);
  const proof = isInvitation ? { ...made, expiresAt: made.createdAt + invitationLifetime } : made;
  const reason = isInvitation ? 'invited' : 'an operator sent the mail';
  await apply(tx, [{ write: 'insertEmailProof', proof }], { reason });
  await deps.mails.queue(tx, tenant, {
    name: mail,
    to: member.email,
    language,
    values: { fullName: member.fullName },
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
  await replacePassword(
    tx,
    tenant,
    member,
    { passwordHash, everywhere, reason: 'by the link of a mail' },
    deps,
  );
  return true;
}

/** A password that takes the place of one that need not be known. */
export interface NewPassword {
  readonly passwordHash: string;
  /** Whether all sessions and sign-ins of the member end with it. */
  readonly everywhere: boolean;
  /** Who sets it, for the audit. */
  readonly reason: string;
}

/** Sets a password without asking for the one before, and tells the member. */
export async function replacePassword(
  tx: Tx,
  tenant: OpenTenant,
  member: Member,
  { passwordHash, everywhere, reason }: NewPassword,
  { clock, mails }: Pick<MemberDeps, 'clock' | 'mails'>,
): Promise<void> {
  await updatePasswordHash(tx, member.id, passwordHash);
  await auditDeed(tx, { event: 'password_changed', memberId: member.id, target: member.id, reason });
  await forgetMailedLinks(tx, member.id);
  // A member who was kept out by another's guessing, or by their own, comes in with the new password at once.
  await clearSignInFailures(tx, tenant.id, hashEmail(member.email));
  if (everywhere) await signOutEverywhere(tx, member.id, clock());
  await mails.queue(tx, tenant, {
    name: 'passwordChanged',
    to: member.email,
    language: member.locale ?? 'en',
    values: { fullName: member.fullName },
    link: `${tenant.issuer}/recover`,
  });
}

/**
 * Ends the links that were mailed to a member, whose address or password is another from now on: a link that was seen
 * once must not undo that, nor open the account by an address that was given up (pages 10).
 */
export async function forgetMailedLinks(tx: Tx, memberId: string): Promise<void> {
  for (const purpose of ['password_reset', 'email_change'] as const) {
    for (const proof of await listOpenEmailProofs(tx, memberId, purpose)) {
      await apply(tx, withdrawProof(proof));
    }
  }
}
