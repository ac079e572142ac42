// Queries of clients.
import type { Client, ClientSecret } from '../../core/client.ts';
import { forgetRemembered, prepared, query, remembered } from '../prepared.ts';
import {
  beginsWithText,
  findRow,
  fromFlag,
  fromList,
  given,
  hasText,
  type ListPage,
  rowsWith,
  toFlag,
  updateRow,
  within,
} from '../rows.ts';
import type { Tx } from '../store.ts';
import type { ClientRow, StoredClient } from './schema.ts';

/** The client of a tenant by its client_id, or null; one that is disabled is as if it were not there. */
export async function findClient(tx: Tx, tenantId: string, clientId: string): Promise<Client | null> {
  const read = async () => {
    const row = await enabledClient.first(tx, { tenantId, clientId });
    return row === null ? null : fromRow(row);
  };
  return remembered(tx, `client ${tenantId} ${clientId}`, read, isOfOperator);
}

/** Any other may have come in a transaction that is taken back (`insertUnverifiedClient`). */
const isOfOperator = ({ origin }: Client) => origin === 'operator';

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
  const row = await findRow(tx, 'clients', { tenantId, clientId });
  return row === null ? null : fromRow(row);
}

/** Every client that operators registered, of a tenant or of all tenants, by client_id; those that are disabled too. */
export async function listClients(
  tx: Tx,
  tenantId?: string,
  page: ListPage<string> = {},
): Promise<readonly Client[]> {
  const all = rowsWith(tx, 'clients', given({ tenantId, origin: 'operator' })).orderBy('tenantId');
  return (await within(all, 'clientId', page).execute()).map(fromRow);
}

/** What a search shows of a client. */
export type FoundClient = Pick<Client, 'clientId' | 'name' | 'disabledAt'>;

/**
 * The clients of a tenant, unregistered ones too, that bear a text in their names, or whose client_id begins with it:
 * in their order, and however the letters are written.
 */
export function searchClients(
  tx: Tx,
  tenantId: string,
  text: string,
  most: number,
): Promise<readonly FoundClient[]> {
  return tx
    .selectFrom('clients')
    .select(['clientId', 'name', 'disabledAt'])
    .where('tenantId', '=', tenantId)
    .where(({ or }) => or([hasText('name', text), beginsWithText('clientId', text)]))
    .orderBy('clientId')
    .limit(most)
    .execute();
}

export async function insertClient(tx: Tx, client: Client, createdAt: number): Promise<void> {
  await forgetRemembered(tx);
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
  await forgetRemembered(tx);
  await updateRow(tx, 'clients', { tenantId, clientId }, { deviceFlow: toFlag(enabled) });
}

/** Stores a client as it is from now on. */
export async function updateClient(tx: Tx, client: Client): Promise<void> {
  await forgetRemembered(tx);
  const { tenantId, clientId, type: _type, ...changed } = toRow(client);
  await updateRow(tx, 'clients', { tenantId, clientId }, changed);
}

/** A client as it is stored. */
export function fromRow({
  createdAt: _createdAt,
  lastUsedAt: _lastUsedAt,
  registrationTokenHash: _hash,
  freshUntil: _freshUntil,
  ...row
}: ClientRow): Client {
  return {
    ...row,
    secrets: JSON.parse(row.secrets) as ClientSecret[],
    signingAlgorithms: JSON.parse(row.signingAlgorithms) as Client['signingAlgorithms'],
    redirectUris: fromList(row.redirectUris),
    postLogoutRedirectUris: fromList(row.postLogoutRedirectUris),
    webOrigins: fromList(row.webOrigins),
    apis: fromList(row.apis),
    clientCredentials: fromFlag(row.clientCredentials),
    serviceScopes: fromList(row.serviceScopes),
    signupDisabled: fromFlag(row.signupDisabled),
    deviceFlow: fromFlag(row.deviceFlow),
    thirdParty: fromFlag(row.thirdParty),
    claimsInIdToken: fromFlag(row.claimsInIdToken),
    signedResponses: fromFlag(row.signedResponses),
    introspection: fromFlag(row.introspection),
    claimsParameter: fromFlag(row.claimsParameter),
    dpopNonce: fromFlag(row.dpopNonce),
  };
}

/** The row of a client. */
export function toRow(client: Client): StoredClient {
  return {
    ...client,
    secrets: JSON.stringify(client.secrets),
    signingAlgorithms: JSON.stringify(client.signingAlgorithms),
    redirectUris: JSON.stringify(client.redirectUris),
    postLogoutRedirectUris: JSON.stringify(client.postLogoutRedirectUris),
    webOrigins: JSON.stringify(client.webOrigins),
    apis: JSON.stringify(client.apis),
    clientCredentials: toFlag(client.clientCredentials),
    serviceScopes: JSON.stringify(client.serviceScopes),
    signupDisabled: toFlag(client.signupDisabled),
    deviceFlow: toFlag(client.deviceFlow),
    thirdParty: toFlag(client.thirdParty),
    claimsInIdToken: toFlag(client.claimsInIdToken),
    signedResponses: toFlag(client.signedResponses),
    introspection: toFlag(client.introspection),
    claimsParameter: toFlag(client.claimsParameter),
    dpopNonce: toFlag(client.dpopNonce),
  };
}
