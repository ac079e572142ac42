// Queries of authorization codes.
import { sql } from 'kysely';
import type { AuthorizationCode, AuthorizationCodeWrite } from '../../core/grants/authorization-code.ts';
import { insertion, lookup, prepared, query } from '../prepared.ts';
import { rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The code of a tenant by its SHA-256, or null. */
export async function findAuthorizationCode(
  tx: Tx,
  tenantId: string,
  hash: string,
): Promise<AuthorizationCode | null> {
  return codeOf.first(tx, { tenantId, hash });
}

const codeOf = lookup('authorizationCodes', 'hash', 'tenantId');

/** The codes of a member that were not exchanged yet. */
export async function listIssuedAuthorizationCodes(
  tx: Tx,
  memberId: string,
): Promise<readonly AuthorizationCode[]> {
  return rowsWith(tx, 'authorizationCodes', { memberId, state: 'issued' }).execute();
}

/**
 * Burns every code of a client that was not exchanged yet, in one statement, as its sign-ins end in one. It is
 * the one move that the machine has from `issued` for `cancel`.
 */
export async function cancelCodesOfClient(
  tx: Tx,
  { tenantId, clientId }: Pick<AuthorizationCode, 'tenantId' | 'clientId'>,
): Promise<void> {
  await tx
    .updateTable('authorizationCodes')
    .set({ state: 'burned' })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    // As a literal, since the index holds these alone.
    .where('state', '=', sql.lit('issued'))
    .execute();
}

export const insertAuthorizationCode = insertion('authorizationCodes');

type Move = Extract<AuthorizationCodeWrite, { write: 'moveAuthorizationCode' }>;

export async function moveAuthorizationCode(tx: Tx, code: Move): Promise<void> {
  await move.changeOne(tx, code);
}

const move = prepared(({ hash, from, to, signInId }: Pick<Move, 'hash' | 'from' | 'to' | 'signInId'>) =>
  query
    .updateTable('authorizationCodes')
    .set({ state: to, signInId })
    .where('hash', '=', hash)
    .where('state', '=', from),
);
