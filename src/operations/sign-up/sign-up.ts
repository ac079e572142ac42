// Takes sign-ups: mails the link that proves an address, and makes the account when it is proven (pages 11).
import { answerConsent, type Consent, type ConsentStatus } from '../../core/access/consent.ts';
import {
  beginTry,
  type EmailProof,
  failTry,
  finishProof,
  type Presented,
  presentProof,
  proofStanding,
  withdrawProof,
} from '../../core/members/email-proof.ts';
import { isGone, type Member, maySignIn, normaliseEmail } from '../../core/members/member.ts';
import { usesPassword } from '../../core/members/ways-in.ts';
import type { Share } from '../../secrets/fair-queue.ts';
import { isHashable, type Passwords } from '../../secrets/password.ts';
import { apply } from '../../storage/apply.ts';
import { claimSignUps, findEmailProof, listOpenSignUps } from '../../storage/members/email-proof.ts';
import { findMemberByEmail, insertMember } from '../../storage/members/member.ts';
import type { Store, Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import { type Asker, askForProof, type MemberDeps } from '../email-proof/email-proof.ts';
import { deleteMember, newMember } from '../member/member.ts';
import { linkAccount, type ProvenAccount } from '../providers/linked-account.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What a sign-up asked for, kept until the address is proven. */
export interface SignUpPayload {
  readonly fullName: string;
  readonly email: string;
  /** Where it began with an account of another provider, the hash of a password that was never told. */
  readonly passwordHash: string;
  /** That account, which is linked to the member. */
  readonly account?: ProvenAccount;
  /** Whether that is of a password that was never told, since members have none here. */
  readonly isPasswordless?: boolean;
  /** What was asked for, in the words of that page, and what was answered; older sign-ups have none. */
  readonly consents?: readonly { readonly consent: Consent; readonly status: ConsentStatus }[];
  readonly language: string;
  /** The flow to go on with, in the browser that asked. */
  readonly flow: unknown;
}

/**
 * Takes a sign-up in: a mail goes to the address, and the account begins when the address is proven. A
 * member who has an account with this address is told so by mail; the answer is the same.
 *
 * @returns the id of the proof; null if the address is sent no more mails now
 */
export async function askForSignUp(
  tx: Tx,
  tenant: OpenTenant,
  payload: SignUpPayload,
  asker: Asker,
  deps: MemberDeps,
): Promise<string | null> {
  const found = await findMemberByEmail(tx, tenant.id, payload.email);
  const known = found === null || isGone(found.member, deps.clock()) ? null : found;
  const { email } = payload;
  const about = { purpose: 'sign_up', email, memberId: known?.member.id ?? null, payload, asker } as const;
  // A known address is mailed, but not the digits.
  const asked = await askForProof(tx, tenant, { ...about, isMailed: known === null }, deps);
  if (asked === null) return null;
  await deps.mails.queue(tx, tenant, {
    // The owner's own spelling: what only looks alike may be another person's mailbox.
    to: known?.member.email ?? email.trim(),
    language: known?.member.locale ?? payload.language,
    ...(known === null
      ? {
          name: 'signUp',
          values: { fullName: payload.fullName },
          code: asked.code,
          // In another browser the link asks for the password: without one there are the digits alone.
          ...(payload.isPasswordless === true
            ? {}
            : { link: `${tenant.issuer}/sign-up/confirm/${asked.link}` }),
        }
      : {
          ...(usesPassword(tenant, known.member)
            ? ({ name: 'signUpKnown', link: `${tenant.issuer}/recover` } as const)
            : ({ name: 'signUpKnownToCode', link: `${tenant.issuer}/sign-in` } as const)),
          memberId: known.member.id,
          values: { fullName: known.member.fullName },
        }),
  });
  return asked.proof.id;
}

/**
 * Asks once more for a sign-up that waits for its mail, at this address: everything else that was said stays. Where it is
 * another address, what was mailed to the one before proves nothing any more.
 *
 * @returns the id of the new proof; null if the address is sent no more mails now, or the sign-up waits no longer
 */
export async function askAgain(
  tx: Tx,
  tenant: OpenTenant,
  { proofId, email }: { readonly proofId: string; readonly email: string | null },
  asker: Asker,
  deps: MemberDeps,
): Promise<string | null> {
  const proof = await findEmailProof(tx, tenant.id, proofId);
  if (proof === null || proofStanding(proof, deps.clock()) !== 'awaited') return null;
  const payload = JSON.parse(proof.payload) as SignUpPayload;
  const asked = await askForSignUp(tx, tenant, { ...payload, email: email ?? payload.email }, asker, deps);
  const isOther = email !== null && normaliseEmail(email) !== proof.email;
  if (asked !== null && isOther) await withdrawSignUp(tx, proof);
  return asked;
}

/** Takes back every mail of a sign-up to an address. The hash of its password is its own. */
async function withdrawSignUp(tx: Tx, proof: EmailProof): Promise<void> {
  const hashOf = ({ payload }: EmailProof) => (JSON.parse(payload) as SignUpPayload).passwordHash;
  for (const one of await listOpenSignUps(tx, proof)) {
    if (hashOf(one) === hashOf(proof)) await apply(tx, withdrawProof(one));
  }
}

/** The member of a proven sign-up: made now, or null if the address got an account in between. */
async function beginMember(
  tx: Tx,
  tenant: OpenTenant,
  proof: EmailProof,
  deps: MemberDeps,
): Promise<Member | null> {
  const member = await makeMember(tx, tenant, JSON.parse(proof.payload) as SignUpPayload, deps);
  if (member !== null) await claimSignUps(tx, proof, member.id);
  return member;
}

/**
 * The member of a sign-up whose address is proven: by a mail, or by a provider that is trusted with that.
 *
 * @returns null if the address has an account
 */
export async function makeMember(
  tx: Tx,
  tenant: OpenTenant,
  payload: SignUpPayload,
  deps: MemberDeps,
): Promise<Member | null> {
  const now = deps.clock();
  const known = await findMemberByEmail(tx, tenant.id, payload.email);
  if (known !== null && !isGone(known.member, now)) return null;
  // The address of a deleted account is free at once, and its data are erased for the new one.
  if (known !== null) await deleteMember(tx, tenant.id, known.member.id, now);
  const { email, fullName, language: locale, account } = payload;
  const facts = { email: email.trim(), emailVerified: true, fullName: fullName.trim(), locale };
  const member = await newMember(tx, tenant.id, facts, deps.random, now);
  const hasPassword = account === undefined && payload.isPasswordless !== true;
  await insertMember(tx, member, payload.passwordHash, hasPassword ? now : null);
  await auditDeed(tx, { event: 'sign_up', memberId: member.id, target: member.id });
  if (account !== undefined) await linkAccount(tx, tenant, member, account, deps, { isNews: false });
  for (const { consent, status } of payload.consents ?? []) {
    // Whose answers they are is known from now on; before, any visitor might have typed the address.
    const answerer = { memberId: member.id, source: 'sign_up', clientId: null, changedAt: now } as const;
    await apply(tx, answerConsent(consent, [], status, answerer));
  }
  return member;
}

/** The account that the proof of a sign-up made: the one with its address and its very password; null if none is. */
export async function memberOfProof(tx: Tx, proof: EmailProof, now: number): Promise<Member | null> {
  const { email, passwordHash } = JSON.parse(proof.payload) as SignUpPayload;
  const found = await findMemberByEmail(tx, proof.tenantId, email);
  const isIts = found?.passwordHash === passwordHash && maySignIn(found.member, now);
  return isIts ? found.member : null;
}

/**
 * Presents what proves the address, and makes the account the first time it does. If the address got an
 * account in between, the proof is used up for nothing.
 *
 * @returns whether the address is proven and the account made, now or before
 */
async function prove(
  tx: Tx,
  tenant: OpenTenant,
  proof: EmailProof,
  presented: Presented,
  deps: MemberDeps,
): Promise<boolean> {
  const { answer, writes } = presentProof(proof, presented, deps.clock());
  await apply(tx, writes);
  // Nothing is written where it was proven before.
  if (!answer || writes.length === 0) return answer;
  if ((await beginMember(tx, tenant, proof, deps)) !== null) return true;
  const proven = await findEmailProof(tx, tenant.id, proof.id);
  if (proven !== null) await apply(tx, finishProof(proven, deps.clock()).writes);
  return false;
}

/**
 * Proves the address and uses the proof up, in the browser that asked, which goes on with the member.
 *
 * @returns the proof as it stands after that, and its member, if it was good and was not used before
 */
export async function finishSignUp(
  tx: Tx,
  tenant: OpenTenant,
  proofId: string,
  presented: Presented,
  deps: MemberDeps,
): Promise<{ readonly proof: EmailProof; readonly member: Member | null }> {
  const found = await findEmailProof(tx, tenant.id, proofId);
  if (found === null) throw new Error('a proof vanished between two steps');
  await prove(tx, tenant, found, presented, deps);
  const proof = (await findEmailProof(tx, tenant.id, proofId)) ?? found;
  const { answer, writes } = finishProof(proof, deps.clock());
  await apply(tx, writes);
  return { proof, member: answer ? await memberOfProof(tx, proof, deps.clock()) : null };
}

/**
 * Proves the address by the link and the password of the sign-up. A guess is counted when its turn has come,
 * before it is looked at (F1).
 *
 * @returns `over` where no try is left, or the proof came to an end meanwhile
 */
export async function proveByPassword(
  tenant: OpenTenant,
  { id, payload }: EmailProof,
  { password, share }: { readonly password: string; readonly share: Share },
  deps: MemberDeps & { readonly store: Pick<Store, 'transaction'>; readonly passwords: Passwords },
): Promise<'confirmed' | 'wrong' | 'over'> {
  /** Decides on the proof as it stands. */
  const decide = (work: (tx: Tx, proof: EmailProof) => Promise<boolean>) =>
    deps.store.transaction(async (tx) => {
      const proof = await findEmailProof(tx, tenant.id, id);
      return proof !== null && work(tx, proof);
    });
  let isCounted = false;
  const mayBegin = async () => {
    isCounted = await decide(async (tx, proof) => {
      const { answer, writes } = beginTry(proof, deps.clock());
      await apply(tx, writes);
      return answer;
    });
    return isCounted;
  };
  const { passwordHash } = JSON.parse(payload) as SignUpPayload;
  const isHashed = isHashable(password);
  const isRight = isHashed && (await deps.passwords.verify(password, passwordHash, share, { mayBegin }));
  // One that is too long for any account counts like the others.
  if (!isHashed) await mayBegin();
  if (!isCounted) return 'over';
  const isProven = await decide(async (tx, proof) => {
    if (isRight) return prove(tx, tenant, proof, { by: 'link' }, deps);
    await apply(tx, failTry(proof));
    return false;
  });
  if (!isRight) return 'wrong';
  return isProven ? 'confirmed' : 'over';
}
