// Queries of the other providers of a tenant.
import type { IdentityProvider } from '../../core/providers/identity-provider.ts';
import { forgetRemembered, prepared, query, remembered } from '../prepared.ts';
import {
  deleteRows,
  fromFlag,
  fromList,
  type ListPage,
  rowsWith,
  toFlag,
  updateRow,
  within,
} from '../rows.ts';
import type { Tx } from '../store.ts';
import { deleteLinkedAccounts } from './linked-account.ts';
import type { IdentityProviderRow } from './schema.ts';

/** Those that members can sign in with now, in the order of their buttons: each page that leads in asks, so it is remembered. */
export async function findProviders(tx: Tx, tenantId: string): Promise<readonly IdentityProvider[]> {
  const found = await remembered(tx, `providers ${tenantId}`, async () =>
    (await ofTenant.all(tx, { tenantId })).map(fromRow),
  );
  return found ?? [];
}

const ofTenant = prepared(({ tenantId }: Pick<IdentityProvider, 'tenantId'>) =>
  query
    .selectFrom('identityProviders')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('disabledAt', 'is', null)
    .orderBy('position')
    .orderBy('key'),
);

/** A page of all of them, by key. */
export async function listProviders(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly IdentityProvider[]> {
  return (await within(rowsWith(tx, 'identityProviders', { tenantId }), 'key', page).execute()).map(fromRow);
}

export async function insertProvider(tx: Tx, provider: IdentityProvider): Promise<void> {
  await forgetRemembered(tx);
  await tx.insertInto('identityProviders').values(toRow(provider)).execute();
}

export async function updateProvider(tx: Tx, provider: IdentityProvider): Promise<void> {
  await forgetRemembered(tx);
  const { tenantId, key, ...changed } = toRow(provider);
  await updateRow(tx, 'identityProviders', { tenantId, key }, changed);
}

/** Deletes a provider, and with it every link to an account there. */
export async function deleteProvider(
  tx: Tx,
  { tenantId, key }: Pick<IdentityProvider, 'tenantId' | 'key'>,
): Promise<void> {
  await forgetRemembered(tx);
  await deleteLinkedAccounts(tx, { tenantId, provider: key });
  await deleteRows(tx, 'identityProviders', { tenantId, key });
}

const fromRow = (row: IdentityProviderRow): IdentityProvider => ({
  ...row,
  scopes: fromList(row.scopes),
  trustsVerifiedEmail: fromFlag(row.trustsVerifiedEmail),
  keepTokens: fromFlag(row.keepTokens),
});

const toRow = (provider: IdentityProvider): IdentityProviderRow => ({
  ...provider,
  scopes: JSON.stringify(provider.scopes),
  trustsVerifiedEmail: toFlag(provider.trustsVerifiedEmail),
  keepTokens: toFlag(provider.keepTokens),
});
