/** Signs members in by six digits that they are mailed. They stay with the browser that asked, and no link goes with them. */
import { equalInConstantTime } from '../../core/hash.ts';
import { type EmailProof, proofStanding, withdrawProof } from '../../core/members/email-proof.ts';
import { maySignIn, normaliseEmail } from '../../core/members/member.ts';
import { blockedUntil, failedAgain, hashEmail } from '../../core/members/member-limits.ts';
import { apply } from '../../storage/apply.ts';
import { findEmailProof, listOpenSignInCodes } from '../../storage/members/email-proof.ts';
import { findSignInFailures, saveSignInFailures } from '../../storage/members/guesses/sign-in-failure.ts';
import { isKnownBrowser } from '../../storage/members/known-browser.ts';
import { findMemberByEmail, findMemberWithPassword, updateMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import {
  type Asker,
  askForProof,
  hashProofCode,
  type MemberDeps,
  useUpProof,
} from '../email-proof/email-proof.ts';
import { composeMail, type Mail } from '../mail/mail.ts';
import { toMember } from '../mail/mailer.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { type TooManyGuesses, tooManyUntil } from './credentials.ts';
import { type Proven, standingOf } from './enter.ts';

/** Where a code is asked for, as its mail tells it. */
export interface CodePlace {
  /** The app that the member signs in for; the tenant's own pages have none. */
  readonly client: string | null;
  readonly browser: string;
  readonly place: string;
  readonly language: string;
}

/**
 * Mails the owner of an address six digits to sign in with, and takes back those that this browser asked for before. An
 * address without an account gets nothing, and the answer is the same (pages 10).
 *
 * @returns the id of what the digits prove; null if the address is sent no more mails now, whether it has an account or not
 */
export async function askForCode(
  tx: Tx,
  tenant: OpenTenant,
  email: string,
  { asker, place }: { readonly asker: Asker; readonly place: CodePlace },
  deps: MemberDeps,
): Promise<string | null> {
  const found = await findMemberByEmail(tx, tenant.id, email);
  const memberId = found?.member.id ?? null;
  const member = found !== null && maySignIn(found.member, deps.clock()) ? found.member : null;
  // Looked up for an address without an account too, and a row is written, so that it takes as long.
  const isKnown = await isKnownBrowser(tx, memberId ?? '', asker.askedBy);
  const about = { purpose: 'sign_in', email, memberId, payload: {}, asker } as const;
  const asked = await askForProof(tx, tenant, { ...about, isMailed: member !== null, isKnown }, deps);
  if (asked === null) return null;
  for (const one of await listOpenSignInCodes(tx, asked.proof)) {
    if (one.id !== asked.proof.id) await apply(tx, withdrawProof(one));
  }
  const { language, client, browser, place: from } = place;
  const values = { client: client ?? '', browser, place: from };
  const content = { name: 'signInCode', code: asked.code } as const;
  if (member === null) {
    // It takes its time to write the mail, and that time must not tell who has an account.
    const unsent: Mail = { ...content, to: email, language, values };
    composeMail(tenant, unsent);
  } else {
    await deps.mails.queue(tx, tenant, {
      ...toMember(member, member.locale ?? language, values),
      ...content,
    });
  }
  return asked.proof.id;
}

/**
 * What came of digits: what they prove, or why nothing; `over` where no digits will do any more, and `used` where they have let
 * this browser in before.
 */
export type JudgedCode =
  | { readonly kind: 'right'; readonly proven: Proven }
  | { readonly kind: 'wrong'; readonly memberId: string | null; readonly isOver: boolean }
  | { readonly kind: 'over' | 'used' }
  | TooManyGuesses;

/**
 * Judges digits and counts them, in one transaction: of any number at once no more are looked at than are allowed (F1). A
 * wrong code counts as a wrong password does, for the code and for the account, whichever address was typed; a browser that
 * the member has used before passes the account's wait (promise 7).
 *
 * Right digits show that their member reads the address: it is verified with them, as by the link for a new password.
 *
 * @param browser the hash of the browser's cookie
 */
export async function judgeCode(
  tx: Tx,
  tenant: OpenTenant,
  { codeId, browser, digits }: { readonly codeId: string; readonly browser: string; readonly digits: string },
  { clock }: Pick<MemberDeps, 'clock'>,
): Promise<JudgedCode> {
  const now = clock();
  const proof = await findSignInCode(tx, tenant, { codeId, browser });
  const standing = proof === null ? 'over' : proofStanding(proof, now);
  if (standing === 'finished') return { kind: 'used' };
  if (proof === null || standing !== 'awaited') return { kind: 'over' };
  const key = hashEmail(proof.email);
  const failed = await findSignInFailures(tx, tenant.id, key);
  const isKnown = await isKnownBrowser(tx, proof.memberId ?? '', browser);
  const until = isKnown ? 0 : blockedUntil(failed, now, tenant.limits.failedSignInsPerAccount);
  if (until > now) return tooManyUntil(until, now, { key, memberId: proof.memberId });
  const codeHash = hashProofCode(tenant.tokenKey, proof.id, digits);
  if (await useUpProof(tx, proof, { by: 'code', codeHash }, now)) return provenBy(tx, tenant, proof, now);
  await saveSignInFailures(tx, tenant.id, key, failedAgain(failed, now));
  const left = await findEmailProof(tx, tenant.id, proof.id);
  const isOver = left === null || proofStanding(left, now) !== 'awaited';
  return { kind: 'wrong', memberId: proof.memberId, isOver };
}

/** What the digits are for: only the browser that asked for them may give them (A11). */
export async function findSignInCode(
  tx: Tx,
  { id: tenantId }: Pick<OpenTenant, 'id'>,
  { codeId, browser }: { readonly codeId: string; readonly browser: string },
): Promise<EmailProof | null> {
  const proof = await findEmailProof(tx, tenantId, codeId);
  if (proof?.purpose !== 'sign_in') return null;
  return equalInConstantTime(proof.askedBy, browser) ? proof : null;
}

/** The member of digits that were right, if the account still has the address that they were sent to. */
async function provenBy(
  tx: Tx,
  { id: tenantId }: OpenTenant,
  { memberId, email }: EmailProof,
  now: number,
): Promise<JudgedCode> {
  const found = memberId === null ? null : await findMemberWithPassword(tx, tenantId, memberId);
  const isStill =
    found !== null && maySignIn(found.member, now) && normaliseEmail(found.member.email) === email;
  if (!isStill) return { kind: 'over' };
  const { member } = found;
  if (!member.emailVerified) await updateMember(tx, { ...member, emailVerified: true, updatedAt: now });
  return { kind: 'right', proven: { memberId: member.id, factors: ['otp'], standing: standingOf(found) } };
}
