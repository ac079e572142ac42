import { sql } from 'kysely';
import type { Write } from '../core/decision.ts';
import type { SignIn, SignInEnd } from '../core/sign-in.ts';
import { changedOne } from './rows.ts';
import type { Tx } from './store.ts';

/** The sign-in of a tenant by its id, or null. */
export async function findSignIn(tx: Tx, tenantId: string, id: string): Promise<SignIn | null> {
  const row = await tx
    .selectFrom('signIns')
    .selectAll()
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}

export async function insertSignIn(tx: Tx, signIn: SignIn): Promise<void> {
  await tx.insertInto('signIns').values(signIn).execute();
}

/** Gives a sign-in the name that its member chose; null takes it away. */
export async function updateSignInLabel(tx: Tx, id: string, label: string | null): Promise<void> {
  const result = await tx.updateTable('signIns').set({ label }).where('id', '=', id).executeTakeFirst();
  changedOne(result, 'label of a sign-in');
}

/** Moves the current generation on by one; only from the generation that the decision saw. */
export async function rotateSignIn(tx: Tx, move: Extract<Write, { write: 'rotateSignIn' }>): Promise<void> {
  const result = await tx
    .updateTable('signIns')
    .set({ generation: move.to, rotatedAt: move.at })
    .where('id', '=', move.id)
    .where('generation', '=', move.from)
    .where('state', '=', 'active')
    .executeTakeFirst();
  changedOne(result, 'sign-in rotation');
}

export async function endSignIn(tx: Tx, end: Extract<Write, { write: 'endSignIn' }>): Promise<void> {
  const result = await tx
    .updateTable('signIns')
    .set({ state: 'ended', endedAt: end.at, endReason: end.reason })
    .where('id', '=', end.id)
    .where('state', '=', 'active')
    .executeTakeFirst();
  changedOne(result, 'end of a sign-in');
}

/**
 * Ends every sign-in of a client in one statement: there may be a hundred thousand, and nobody may wait for
 * each. It is the one move that the machine has from `active` for this event.
 */
export async function endSignInsOfClient(
  tx: Tx,
  { tenantId, clientId }: Pick<SignIn, 'tenantId' | 'clientId'>,
  reason: SignInEnd,
  at: number,
): Promise<void> {
  await tx
    .updateTable('signIns')
    .set({ state: 'ended', endedAt: at, endReason: reason })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    // As a literal, since the index holds these alone.
    .where('state', '=', sql.lit('active'))
    .execute();
}

/** The sign-ins of a member that have not ended. */
export async function listActiveSignIns(tx: Tx, memberId: string): Promise<readonly SignIn[]> {
  return tx
    .selectFrom('signIns')
    .selectAll()
    .where('memberId', '=', memberId)
    .where('state', '=', 'active')
    .execute();
}
