// Queries of clients.
import type { Client, ClientSecret } from '../core/client.ts';
import { type ListPage, within } from './list-page.ts';
import { forgetRemembered, prepared, query, remembered } from './prepared.ts';
import { changedOne, fromFlag, fromList, toFlag } from './rows.ts';
import type { ClientRow } from './schema.ts';
import type { Tx } from './store.ts';

/** The client of a tenant by its client_id, or null; one that is disabled is as if it were not there. */
export async function findClient(tx: Tx, tenantId: string, clientId: string): Promise<Client | null> {
  return remembered(tx, `client ${tenantId} ${clientId}`, () => {
    const row = enabledClient.first(tx, { tenantId, clientId });
    return row === undefined ? null : fromRow(row);
  });
}

const enabledClient = prepared(({ tenantId, clientId }: Pick<Client, 'tenantId' | 'clientId'>) =>
  query
    .selectFrom('clients')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .where('disabledAt', 'is', null),
);

/** The client of a tenant by its client_id as it is registered, disabled or not; or null. */
export async function findRegisteredClient(
  tx: Tx,
  tenantId: string,
  clientId: string,
): Promise<Client | null> {
  const row = await tx
    .selectFrom('clients')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

/** Every client of a tenant, or of all tenants, by client_id; those that are disabled too. */
export async function listClients(
  tx: Tx,
  tenantId?: string,
  page: ListPage<string> = {},
): Promise<readonly Client[]> {
  let query = tx.selectFrom('clients').selectAll().orderBy('tenantId').orderBy('clientId');
  if (tenantId !== undefined) query = query.where('tenantId', '=', tenantId);
  return (await within(query, 'clientId', page).execute()).map(fromRow);
}

export async function insertClient(tx: Tx, client: Client, createdAt: number): Promise<void> {
  forgetRemembered(tx);
  await tx
    .insertInto('clients')
    .values({ ...toRow(client), createdAt })
    .execute();
}

export async function updateDeviceFlow(
  tx: Tx,
  tenantId: string,
  clientId: string,
  enabled: boolean,
): Promise<void> {
  forgetRemembered(tx);
  const result = await tx
    .updateTable('clients')
    .set({ deviceFlow: toFlag(enabled) })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .executeTakeFirst();
  changedOne(result, 'device flow of a client');
}

/** Stores a client as it is from now on. */
export async function updateClient(tx: Tx, client: Client): Promise<void> {
  forgetRemembered(tx);
  const { tenantId, clientId, type: _type, ...changed } = toRow(client);
  const result = await tx
    .updateTable('clients')
    .set(changed)
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .executeTakeFirst();
  changedOne(result, 'client');
}

function fromRow({ createdAt: _, ...row }: ClientRow): Client {
  return {
    ...row,
    secrets: JSON.parse(row.secrets) as ClientSecret[],
    redirectUris: fromList(row.redirectUris),
    postLogoutRedirectUris: fromList(row.postLogoutRedirectUris),
    webOrigins: fromList(row.webOrigins),
    signupDisabled: fromFlag(row.signupDisabled),
    deviceFlow: fromFlag(row.deviceFlow),
    thirdParty: fromFlag(row.thirdParty),
    claimsInIdToken: fromFlag(row.claimsInIdToken),
  };
}

function toRow(client: Client): Omit<ClientRow, 'createdAt'> {
  return {
    ...client,
    secrets: JSON.stringify(client.secrets),
    redirectUris: JSON.stringify(client.redirectUris),
    postLogoutRedirectUris: JSON.stringify(client.postLogoutRedirectUris),
    webOrigins: JSON.stringify(client.webOrigins),
    signupDisabled: toFlag(client.signupDisabled),
    deviceFlow: toFlag(client.deviceFlow),
    thirdParty: toFlag(client.thirdParty),
    claimsInIdToken: toFlag(client.claimsInIdToken),
  };
}
