// Queries of the proofs of mail addresses.
import type { EmailProof, EmailProofWrite, SentProofs } from '../../core/members/email-proof.ts';
import { changedOne } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The proof of a tenant by its id, or null. */
export async function findEmailProof(tx: Tx, tenantId: string, id: string): Promise<EmailProof | null> {
  const row = await tx
    .selectFrom('emailProofs')
    .selectAll()
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}

/** The proof of a tenant by the SHA-256 of its link's secret, or null. */
export async function findEmailProofByLink(
  tx: Tx,
  tenantId: string,
  linkHash: string,
): Promise<EmailProof | null> {
  const row = await tx
    .selectFrom('emailProofs')
    .selectAll()
    .where('linkHash', '=', linkHash)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}

/** The proofs of a member and purpose that could still be used. */
export async function listOpenEmailProofs(
  tx: Tx,
  memberId: string,
  purpose: EmailProof['purpose'],
): Promise<readonly EmailProof[]> {
  return tx
    .selectFrom('emailProofs')
    .selectAll()
    .where('memberId', '=', memberId)
    .where('purpose', '=', purpose)
    .where('state', 'in', ['pending', 'proven'])
    .execute();
}

/**
 * How many proofs of its purpose the address of this one was sent since a time, and how many of them its browser and
 * its network asked for. Those that lie ahead since the clock was set back do not count.
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
    .where('createdAt', '<=', now)
    .where('purpose', '=', purpose)
    .executeTakeFirstOrThrow();
}

export async function insertEmailProof(tx: Tx, proof: EmailProof): Promise<void> {
  await tx.insertInto('emailProofs').values(proof).execute();
}

/**
 * A sign-up has become a member: all that were asked for with the address are the member's from now on, but those of
 * a member who had the address before.
 */
export async function claimSignUps(
  tx: Tx,
  { tenantId, email }: Pick<EmailProof, 'tenantId' | 'email'>,
  memberId: string,
): Promise<void> {
  await tx
    .updateTable('emailProofs')
    .set({ memberId })
    .where('tenantId', '=', tenantId)
    .where('email', '=', email)
    .where('purpose', '=', 'sign_up')
    .where('memberId', 'is', null)
    .execute();
}

/** Every address that a member has had a mail to prove, of late. */
export async function listProvenAddresses(
  tx: Tx,
  tenantId: string,
  memberId: string,
): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('emailProofs')
    .select('email')
    .distinct()
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .execute();
  return rows.map(({ email }) => email);
}

export async function moveEmailProof(
  tx: Tx,
  { from, proof }: Extract<EmailProofWrite, { write: 'moveEmailProof' }>,
): Promise<void> {
  const { id, state, wrongCodes } = proof;
  const result = await tx
    .updateTable('emailProofs')
    .set({ state, wrongCodes })
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirst();
  changedOne(result, 'email proof');
}

/** Deletes proofs whose time was over before a time (ms), at most so many. @returns how many were deleted */
export async function deleteEmailProofs(tx: Tx, before: number, atMost: number): Promise<number> {
  const over = tx.selectFrom('emailProofs').select('id').where('expiresAt', '<', before).limit(atMost);
  const result = await tx.deleteFrom('emailProofs').where('id', 'in', over).executeTakeFirst();
  return Number(result.numDeletedRows);
}
