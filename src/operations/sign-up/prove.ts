/** Proves the address of a sign-up, and makes the account (pages 11). */
import {
  beginTry,
  type EmailProof,
  failTry,
  finishProof,
  type Presented,
  presentProof,
} from '../../core/members/email-proof.ts';
import type { Member } from '../../core/members/member.ts';
import type { Share } from '../../secrets/fair-queue.ts';
import { isHashable, type Passwords } from '../../secrets/password.ts';
import { apply } from '../../storage/apply.ts';
import { findEmailProof } from '../../storage/members/email-proof.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { beginMember, type MemberDeps, memberOfProof, type SignUpPayload } from './sign-up.ts';

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
