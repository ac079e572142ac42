// Queries of initial access tokens, with which clients register themselves.

import type { RegistrationTokenRow } from '../clients/schema.ts';
import { deleteRows, type ListPage, rowsWith, within } from '../rows.ts';
import type { Tx } from '../store.ts';

export async function listRegistrationTokens(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly RegistrationTokenRow[]> {
  return within(rowsWith(tx, 'registrationTokens', { tenantId }), 'id', page).execute();
}

export async function insertRegistrationToken(tx: Tx, row: RegistrationTokenRow): Promise<void> {
  await tx.insertInto('registrationTokens').values(row).execute();
}

/** @returns whether there was such a token */
export async function deleteRegistrationToken(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  return (await deleteRows(tx, 'registrationTokens', { tenantId, id })) > 0;
}

/**
 * Uses a token up by one registration.
 *
 * @returns whether it allowed one: it is this tenant's, is not expired, and had one left
 */
export async function useRegistrationToken(
  tx: Tx,
  { tenantId, secretHash }: Pick<RegistrationTokenRow, 'tenantId' | 'secretHash'>,
  now: number,
): Promise<boolean> {
  const used = await tx
    .updateTable('registrationTokens')
    .set(({ eb }) => ({ usesLeft: eb('usesLeft', '-', 1) }))
    .where('tenantId', '=', tenantId)
    .where('secretHash', '=', secretHash)
    .where('usesLeft', '>', 0)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}
