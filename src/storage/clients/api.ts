// Queries of the APIs of a tenant.
import type { Api } from '../../core/oidc/api.ts';
import { forgetRemembered, prepared, query, remembered } from '../prepared.ts';
import { deleteRows, fromFlag, type ListPage, rowsWith, toFlag, updateRow, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { ApiRow } from './schema.ts';

/** All APIs of a tenant, by identifier: what a token request asks for, so it is remembered. */
export async function findApis(tx: Tx, tenantId: string): Promise<readonly Api[]> {
  const apis = await remembered(tx, `apis ${tenantId}`, async () =>
    (await ofTenant.all(tx, { tenantId })).map(fromRow),
  );
  return apis ?? [];
}

const ofTenant = prepared(({ tenantId }: Pick<Api, 'tenantId'>) =>
  query.selectFrom('apis').selectAll().where('tenantId', '=', tenantId).orderBy('identifier'),
);

/** A page of them, as the database has it. */
export async function listApis(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly Api[]> {
  return (await within(rowsWith(tx, 'apis', { tenantId }), 'identifier', page).execute()).map(fromRow);
}

export async function insertApi(tx: Tx, api: Api): Promise<void> {
  await forgetRemembered(tx);
  await tx.insertInto('apis').values(toRow(api)).execute();
}

export async function updateApi(tx: Tx, api: Api): Promise<void> {
  await forgetRemembered(tx);
  const { tenantId, identifier, ...changed } = toRow(api);
  await updateRow(tx, 'apis', { tenantId, identifier }, changed);
}

export async function deleteApi(
  tx: Tx,
  { tenantId, identifier }: Pick<Api, 'tenantId' | 'identifier'>,
): Promise<void> {
  await forgetRemembered(tx);
  await deleteRows(tx, 'apis', { tenantId, identifier });
}

const fromRow = (row: ApiRow): Api => ({
  ...row,
  scopes: JSON.parse(row.scopes) as Api['scopes'],
  unverifiedClients: fromFlag(row.unverifiedClients),
});
const toRow = (api: Api): ApiRow => ({
  ...api,
  scopes: JSON.stringify(api.scopes),
  unverifiedClients: toFlag(api.unverifiedClients),
});
