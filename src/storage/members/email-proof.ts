// Queries of the proofs of mail addresses.
import type { EmailProof, EmailProofWrite, SentProofs } from '../../core/members/email-proof.ts';
import { clockTolerance } from '../../core/operators/limits.ts';
import { insertion } from '../prepared.ts';
import { findRow, rowsWith, updateRow, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The proof of a tenant by its id, or null. */
export async function findEmailProof(tx: Tx, tenantId: string, id: string): Promise<EmailProof | null> {
  return findRow(tx, 'emailProofs', { id, tenantId });
}

/** The proof of a tenant by the SHA-256 of its link's secret, or null. */
export async function findEmailProofByLink(
  tx: Tx,
  tenantId: string,
  linkHash: string,
): Promise<EmailProof | null> {
  return findRow(tx, 'emailProofs', { linkHash, tenantId });
}

/** The proofs of a member and purpose that could still be used. */
export async function listOpenEmailProofs(
  tx: Tx,
  memberId: string,
  purpose: EmailProof['purpose'],
): Promise<readonly EmailProof[]> {
  const proofs = rowsWith(tx, 'emailProofs', { memberId, purpose });
  return proofs.where('state', 'in', ['pending', 'proven']).execute();
}

/** The sign-ups with the address of this one that its browser asked for and that could still be used. */
export async function listOpenSignUps(
  tx: Tx,
  { tenantId, email, askedBy }: Pick<EmailProof, 'tenantId' | 'email' | 'askedBy'>,
): Promise<readonly EmailProof[]> {
  const proofs = rowsWith(tx, 'emailProofs', { tenantId, email, askedBy, purpose: 'sign_up' });
  return proofs.where('state', 'in', ['pending', 'proven']).execute();
}

/** The codes to sign in with that the browser of this one asked for to its address, and that could still be used. */
export async function listOpenSignInCodes(
  tx: Tx,
  { tenantId, email, askedBy }: Pick<EmailProof, 'tenantId' | 'email' | 'askedBy'>,
): Promise<readonly EmailProof[]> {
  const proofs = rowsWith(tx, 'emailProofs', { tenantId, email, askedBy, purpose: 'sign_in' });
  return proofs.where('state', 'in', ['pending', 'proven']).execute();
}

/**
 * How many proofs of its purpose the address of this one was sent since a time, and how many of them its browser and
 * its network asked for. Those that lie further ahead than the clocks of processes differ, since the clock
 * was set back, do not count.
 */
export async function countEmailProofs(
  tx: Tx,
  { tenantId, email, purpose, askedBy, askedFrom }: EmailProof,
  since: number,
  now: number,
): Promise<SentProofs> {
  return tx
    .selectFrom('emailProofs')
    .select(({ fn }) => [
      fn.countAll<number>().as('ofAll'),
      fn.countAll<number>().filterWhere('askedBy', '=', askedBy).as('ofBrowser'),
      fn.countAll<number>().filterWhere('askedFrom', '=', askedFrom).as('ofNetwork'),
    ])
    .where('tenantId', '=', tenantId)
    .where('email', '=', email)
    .where('createdAt', '>', since)
    .where('createdAt', '<=', now + clockTolerance)
    .where('purpose', '=', purpose)
    .executeTakeFirstOrThrow();
}

export const insertEmailProof = insertion('emailProofs');

/**
 * A sign-up has become a member: all that were asked for with the address are the member's from now on, but those of
 * a member who had the address before.
 */
export async function claimSignUps(
  tx: Tx,
  { tenantId, email }: Pick<EmailProof, 'tenantId' | 'email'>,
  memberId: string,
): Promise<void> {
  await updateRows(tx, 'emailProofs', { tenantId, email, purpose: 'sign_up', memberId: null }, { memberId });
}

export async function moveEmailProof(
  tx: Tx,
  { from, proof }: Extract<EmailProofWrite, { write: 'moveEmailProof' }>,
): Promise<void> {
  const { id, state, wrongCodes } = proof;
  await updateRow(tx, 'emailProofs', { id, state: from }, { state, wrongCodes });
}
