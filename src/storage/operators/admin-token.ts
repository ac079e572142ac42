// Queries of the tokens of the admin API.
import type { AdminToken } from '../../core/operators/admin-token.ts';
import type { Permission } from '../../core/operators/permission.ts';
import { findRow, type ListPage, rowsWith, updateRows, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { AdminTokenRow } from './schema.ts';

/** The token whose secret has this SHA-256, or null. */
export async function findAdminTokenBySecret(tx: Tx, secretHash: string): Promise<AdminToken | null> {
  const row = await findRow(tx, 'adminTokens', { secretHash });
  return row === null ? null : tokenOf(row);
}

/** The token of this id, or null. */
export async function findAdminToken(tx: Tx, id: string): Promise<AdminToken | null> {
  const row = await findRow(tx, 'adminTokens', { id });
  return row === null ? null : tokenOf(row);
}

/** The tokens of a tenant, or of the whole service, oldest first, since the ids tell the time. */
export async function listAdminTokens(
  tx: Tx,
  tenantId: string | null,
  page: ListPage<string> = {},
): Promise<readonly AdminToken[]> {
  return (await within(rowsWith(tx, 'adminTokens', { tenantId }), 'id', page).execute()).map(tokenOf);
}

export async function insertAdminToken(tx: Tx, token: AdminToken): Promise<void> {
  await tx
    .insertInto('adminTokens')
    .values({ ...token, permissions: JSON.stringify(token.permissions) })
    .execute();
}

/** The tokens that a token made, and those that they made, which are not revoked. */
export async function listTokensBelow(tx: Tx, id: string): Promise<readonly AdminToken[]> {
  const found: AdminToken[] = [];
  let parents: readonly string[] = [id];
  while (parents.length > 0) {
    const rows = await tx.selectFrom('adminTokens').selectAll().where('parentId', 'in', parents).execute();
    found.push(...rows.filter(({ revokedAt }) => revokedAt === null).map(tokenOf));
    parents = rows.map((row) => row.id);
  }
  return found;
}

/** Returns whether there was such a token that was not revoked before. */
export async function revokeAdminToken(
  tx: Tx,
  tenantId: string | null,
  id: string,
  revokedAt: number,
): Promise<boolean> {
  return (await updateRows(tx, 'adminTokens', { id, tenantId, revokedAt: null }, { revokedAt })) === 1;
}

const tokenOf = (row: AdminTokenRow): AdminToken => ({
  ...row,
  permissions: JSON.parse(row.permissions) as Permission[],
});
