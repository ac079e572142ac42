// Proofs of addresses: makes them, takes what proves them, and ends them.
import { showUserCode } from '../../core/grants/user-code.ts';
import { hmac, type MacKey, sha256 } from '../../core/hash.ts';
import {
  beginEmailProof,
  type EmailProof,
  finishProof,
  maySendProof,
  type Presented,
  presentProof,
  withdrawProof,
} from '../../core/members/email-proof.ts';
import { normaliseEmail } from '../../core/members/member.ts';
import { apply } from '../../storage/apply.ts';
import { countEmailProofs, findEmailProof, listOpenEmailProofs } from '../../storage/members/email-proof.ts';
import type { Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** What these operations need beside the transaction. */
export interface MemberDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly mails: Pick<Mailer, 'queue'>;
}

/** The asker for a mail to an address, in hashes. */
export type Asker = Pick<EmailProof, 'askedBy' | 'askedFrom'>;

const hour = 60 * 60 * 1_000;

/** The request for a proof. */
interface ProofFacts extends Pick<EmailProof, 'purpose' | 'memberId' | 'email'> {
  readonly payload: object;
  readonly asker: Asker;
}

/** Makes a proof, with its secrets in clear for the mail that carries them; only hashes of its link and its digits are kept. */
export function newProof(
  tenant: OpenTenant,
  facts: ProofFacts,
  { clock, random }: Pick<MemberDeps, 'clock' | 'random'>,
) {
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
 * Begins a proof that a visitor asked for, whose mail is still to be sent.
 *
 * @param isMailed whether a mail carries its digits. Nothing that could be typed matches those of another one: it is
 *   kept and counted all the same, so that an address with an account and one without are answered alike
 * @param isKnown whether the member with the address has signed in with the browser that asks
 * @returns null if the address is sent no more mails now
 */
export async function askForProof(
  tx: Tx,
  tenant: OpenTenant,
  { isMailed, isKnown = false, ...facts }: ProofFacts & { isMailed: boolean; isKnown?: boolean },
  deps: MemberDeps,
): Promise<ReturnType<typeof newProof> | null> {
  const made = newProof(tenant, facts, deps);
  const proof = isMailed ? made.proof : { ...made.proof, codeHash: '' };
  const now = proof.createdAt;
  if (!maySendProof(await countEmailProofs(tx, proof, now - hour, now), isKnown)) return null;
  await apply(tx, [{ write: 'insertEmailProof', proof }]);
  return { ...made, proof };
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
 * Ends the links and the codes that were mailed to a member, whose address or password is another from now on: one that was
 * seen once must not undo that, nor open the account by an address that was given up (pages 10).
 */
export async function forgetMailedLinks(tx: Tx, memberId: string): Promise<void> {
  for (const purpose of ['sign_in', 'password_reset', 'email_change'] as const) {
    for (const proof of await listOpenEmailProofs(tx, memberId, purpose)) {
      await apply(tx, withdrawProof(proof));
    }
  }
}
