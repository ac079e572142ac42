// Takes sign-ups, and mails the link that proves their address.
import { answerConsent, type Consent, type ConsentStatus } from '../../core/access/consent.ts';
import { showUserCode } from '../../core/grants/user-code.ts';
import { hmac, type MacKey, sha256 } from '../../core/hash.ts';
import {
  beginEmailProof,
  type EmailProof,
  type EmailProofPurpose,
  finishProof,
  maySendProof,
  type Presented,
  presentProof,
} from '../../core/members/email-proof.ts';
import { blankMember, isGone, type Member, maySignIn, normaliseEmail } from '../../core/members/member.ts';
import { apply } from '../../storage/apply.ts';
import { claimSignUps, countEmailProofs, findEmailProof } from '../../storage/members/email-proof.ts';
import { findMemberByEmail, insertMember, nextMemberNumbers } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import { auditDeed } from '../audit/audit.ts';
import type { Mailer } from '../mail/mailer.ts';
import { deleteMember } from '../member/member.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What these operations need beside the transaction. */
export interface MemberDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly mails: Pick<Mailer, 'queue'>;
}

/** What a sign-up asked for, kept until the address is proven. */
export interface SignUpPayload {
  readonly fullName: string;
  readonly email: string;
  readonly passwordHash: string;
  /** What was asked for, in the words of that page, and what was answered; older sign-ups have none. */
  readonly consents?: readonly { readonly consent: Consent; readonly status: ConsentStatus }[];
  readonly language: string;
  /** The flow to go on with, in the browser that asked. */
  readonly flow: unknown;
}

/** Who asks for a mail to an address, in hashes. */
export type Asker = Pick<EmailProof, 'askedBy' | 'askedFrom'>;

const hour = 60 * 60 * 1_000;

/** A proof with its secrets in clear, for the mail that carries them. */
export interface NewProof {
  readonly proof: EmailProof;
  readonly link: string;
  readonly code: string;
}

/** Makes a proof; only hashes of its link and its digits are kept. */
export function newProof(
  tenant: OpenTenant,
  facts: {
    readonly purpose: EmailProofPurpose;
    readonly email: string;
    readonly memberId: string | null;
    readonly payload: object;
    readonly asker: Asker;
  },
  { clock, random }: Pick<MemberDeps, 'clock' | 'random'>,
): NewProof {
  const now = clock();
  const id = random.id(now);
  const link = random.secret();
  const digits = random.digits();
  const proof = beginEmailProof(
    {
      id,
      tenantId: tenant.id,
      purpose: facts.purpose,
      memberId: facts.memberId,
      email: normaliseEmail(facts.email),
      linkHash: sha256(link),
      codeHash: hashProofCode(tenant.tokenKey, id, digits),
      ...facts.asker,
      payload: JSON.stringify(facts.payload),
    },
    now,
  );
  return { proof, link, code: showUserCode(digits) };
}

/**
 * Presents what proves an address and uses the proof up in one step: for what is done where it was asked.
 *
 * @param proof as it stands in this very transaction: a guess is counted where it is judged (F1)
 * @returns whether it was good; a proof is good once
 */
export async function useUpProof(
  tx: Tx,
  proof: EmailProof,
  presented: Presented,
  now: number,
): Promise<boolean> {
  const presentation = presentProof(proof, presented, now);
  await apply(tx, presentation.writes);
  const proven = await findEmailProof(tx, proof.tenantId, proof.id);
  if (!presentation.answer || proven === null) return false;
  const finished = finishProof(proven, now);
  await apply(tx, finished.writes);
  return finished.answer;
}

/** The keyed hash of a proof's digits: keyed and bound to the proof, since there are only a million. */
export function hashProofCode(key: MacKey, proofId: string, digits: string): string {
  return hmac(key, 'email proof', proofId, digits).toString('base64url');
}

/**
 * Whether the address of a new proof may be sent one more message for it, which this asker asks for.
 *
 * @param isKnown whether the member with the address has signed in with the browser that asks
 */
export async function mayMail(tx: Tx, proof: EmailProof, now: number, isKnown = false): Promise<boolean> {
  return maySendProof(await countEmailProofs(tx, proof, now - hour, now), isKnown);
}

/**
 * The proof whose digits no mail carries: nothing that could be typed matches it. It is kept and counted as any
 * other, so that an address with an account and one without are answered alike.
 */
export function withoutDigits(proof: EmailProof): EmailProof {
  return { ...proof, codeHash: '' };
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
  const { proof, link, code } = newProof(
    tenant,
    { purpose: 'sign_up', email: payload.email, memberId: known?.member.id ?? null, payload, asker },
    deps,
  );
  if (!(await mayMail(tx, proof, deps.clock()))) return null;
  // A known address is mailed, but not the digits.
  const kept = known === null ? proof : withoutDigits(proof);
  await apply(tx, [{ write: 'insertEmailProof', proof: kept }]);
  await deps.mails.queue(tx, tenant, {
    // The owner's own spelling: what only looks alike may be another person's mailbox.
    to: known?.member.email ?? payload.email.trim(),
    language: known?.member.locale ?? payload.language,
    ...(known === null
      ? {
          name: 'signUp',
          values: { fullName: payload.fullName },
          code,
          link: `${tenant.issuer}/sign-up/confirm/${link}`,
        }
      : {
          name: 'signUpKnown',
          values: { fullName: known.member.fullName },
          link: `${tenant.issuer}/recover`,
        }),
  });
  return proof.id;
}

/** The member of a proven sign-up: made now, or null if the address got an account in between. */
export async function beginMember(
  tx: Tx,
  tenant: OpenTenant,
  proof: EmailProof,
  { clock, random }: Pick<MemberDeps, 'clock' | 'random'>,
): Promise<Member | null> {
  const payload = JSON.parse(proof.payload) as SignUpPayload;
  const now = clock();
  const known = await findMemberByEmail(tx, tenant.id, payload.email);
  if (known !== null && !isGone(known.member, now)) return null;
  // The address of a deleted account is free at once, and its data are erased for the new one.
  if (known !== null) await deleteMember(tx, tenant.id, known.member.id, now);
  const member: Member = {
    ...blankMember(tenant.id, now),
    id: random.id(now),
    ...(await nextMemberNumbers(tx, tenant.id)),
    email: payload.email.trim(),
    emailVerified: true,
    fullName: payload.fullName.trim(),
    locale: payload.language,
  };
  await insertMember(tx, member, payload.passwordHash);
  await claimSignUps(tx, proof, member.id);
  await auditDeed(tx, { event: 'sign_up', memberId: member.id, target: member.id });
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
