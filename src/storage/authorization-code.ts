import type { AuthorizationCode, AuthorizationCodeState } from '../core/authorization-code.ts';
import type { Write } from '../core/decision.ts';
import { changedOne } from './rows.ts';
import type { Tx } from './store.ts';

/** The code of a tenant by its SHA-256, or null. */
export async function findAuthorizationCode(
  tx: Tx,
  tenantId: string,
  hash: string,
): Promise<AuthorizationCode | null> {
  const row = await tx
    .selectFrom('authorizationCodes')
    .selectAll()
    .where('hash', '=', hash)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}

/** The codes of a member that were not exchanged yet. */
export async function listIssuedAuthorizationCodes(
  tx: Tx,
  memberId: string,
): Promise<readonly AuthorizationCode[]> {
  return tx
    .selectFrom('authorizationCodes')
    .selectAll()
    .where('memberId', '=', memberId)
    .where('state', '=', 'issued')
    .execute();
}

export async function insertAuthorizationCode(tx: Tx, code: AuthorizationCode): Promise<void> {
  await tx.insertInto('authorizationCodes').values(code).execute();
}

export async function moveAuthorizationCode(
  tx: Tx,
  move: Extract<Write, { write: 'moveAuthorizationCode' }>,
): Promise<void> {
  const result = await tx
    .updateTable('authorizationCodes')
    .set({ state: move.to as AuthorizationCodeState, signInId: move.signInId })
    .where('hash', '=', move.hash)
    .where('state', '=', move.from as AuthorizationCodeState)
    .executeTakeFirst();
  changedOne(result, 'authorization code');
}
