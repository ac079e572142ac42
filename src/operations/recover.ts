import { withdrawProof } from '../core/members/email-proof.ts';
import { maySignIn } from '../core/members/member.ts';
import { hashEmail } from '../core/members/sign-in-limit.ts';
import { apply } from '../storage/apply.ts';
import { findEmailProofByLink, listOpenEmailProofs } from '../storage/members/email-proof.ts';
import { forgetKnownBrowsers } from '../storage/members/known-browser.ts';
import { findMember, findMemberByEmail, updatePasswordHash } from '../storage/members/member.ts';
import { clearSignInFailures } from '../storage/members/sign-in-failure.ts';
import type { Tx } from '../storage/store.ts';
import type { OpenTenant } from '../tenants.ts';
import { endSignInsOf } from './member.ts';
import { type MemberDeps, mayMail, newProof, useUpProof, withoutMail } from './sign-up.ts';

/** What a forgotten password was asked for with. */
export interface RecoverPayload {
  readonly language: string;
  /** The flow to go on with after signing in. */
  readonly flow: unknown;
}

/** Mails the owner of an address a link for a new password. An address without an account gets nothing. */
export async function askForRecovery(
  tx: Tx,
  tenant: OpenTenant,
  email: string,
  payload: RecoverPayload,
  deps: MemberDeps,
): Promise<void> {
  const found = await findMemberByEmail(tx, tenant.id, email);
  const { proof, link } = newProof(
    tenant,
    { purpose: 'password_reset', email, memberId: found?.member.id ?? null, payload },
    deps,
  );
  const now = deps.clock();
  const member = found !== null && maySignIn(found.member, now) ? found.member : null;
  const isMailed = member !== null && (await mayMail(tx, proof, now));
  // A row is written for an unknown address too, so that it takes as long; it holds nothing.
  const kept = isMailed ? proof : { ...withoutMail(proof), payload: '{}' };
  await apply(tx, [{ write: 'insertEmailProof', proof: kept }]);
  if (!isMailed) return;
  await deps.mails.queue(tx, tenant, {
    name: 'passwordReset',
    to: member.email,
    language: member.locale ?? payload.language,
    values: { fullName: member.fullName },
    link: `${tenant.issuer}/recover/reset/${link}`,
  });
}

/**
 * Sets a new password by a recovery link, which works once (pages 10; security, Accounts).
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
  if (!(await useUpProof(tx, found, { by: 'link' }, now)) || !maySignIn(member, now)) return false;
  await updatePasswordHash(tx, member.id, passwordHash);
  // Other links that were asked for end with this one: what somebody saw once must not undo it.
  for (const other of await listOpenEmailProofs(tx, member.id, 'password_reset')) {
    await apply(tx, withdrawProof(other));
  }
  // Whoever was kept out by somebody's guessing, or by their own, comes in with the new password at once.
  await clearSignInFailures(tx, tenant.id, hashEmail(member.email));
  if (everywhere) await signOutEverywhere(tx, member.id, now);
  await deps.mails.queue(tx, tenant, {
    name: 'passwordChanged',
    to: member.email,
    language: member.locale ?? 'en',
    values: { fullName: member.fullName },
    link: `${tenant.issuer}/recover`,
  });
  return true;
}

/** Ends every session and sign-in of a member, but for those named, and forgets the browsers. */
export async function signOutEverywhere(
  tx: Tx,
  memberId: string,
  now: number,
  butSessionId: string | null = null,
): Promise<void> {
  await endSignInsOf(tx, memberId, 'signed_out', now, butSessionId);
  await forgetKnownBrowsers(tx, memberId);
}
