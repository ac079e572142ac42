// Registers, changes and deletes the APIs of a tenant.
import { apiLimits } from '../../core/limits.ts';
import { type Api, apiProblems } from '../../core/oidc/api.ts';
import { deleteApi, insertApi, listApis, updateApi } from '../../storage/clients/api.ts';
import { listClients, updateClient } from '../../storage/clients/client.ts';
import type { Tx } from '../../storage/store.ts';
import { conflict, refuseIfAny } from '../refusal.ts';
import { isDevelopment } from './client.ts';

/** Registers an API of a tenant. @throws OperationRefused with every problem at once */
export async function registerApi(tx: Tx, api: Api): Promise<void> {
  const { tenantId, identifier } = api;
  const others = await listApis(tx, tenantId);
  if (others.some((one) => one.identifier === identifier)) {
    throw conflict('identifier', 'api_exists', { identifier });
  }
  if (others.length >= apiLimits.ofTenant) throw conflict([], 'too_many_apis', { most: apiLimits.ofTenant });
  refuseIfAny(apiProblems(api, others, await isDevelopment(tx, tenantId)));
  await insertApi(tx, api);
}

/** What can be changed of an API; what is left out stays. */
export type ApiChanges = Partial<Omit<Api, 'tenantId' | 'identifier'>>;

/**
 * Changes an API of a tenant. A scope that it has no more is in no token from then on.
 *
 * @returns the API as it is now, or null if there is none
 * @throws OperationRefused with every problem at once
 */
export async function changeApi(
  tx: Tx,
  tenantId: string,
  identifier: string,
  changes: ApiChanges,
): Promise<Api | null> {
  const all = await listApis(tx, tenantId);
  const api = all.find((one) => one.identifier === identifier);
  if (api === undefined) return null;
  const changed = { ...api, ...changes };
  const others = all.filter((one) => one !== api);
  refuseIfAny(apiProblems(changed, others, await isDevelopment(tx, tenantId)));
  await updateApi(tx, changed);
  return changed;
}

/**
 * Deletes an API of a tenant, and takes it from the clients that may ask for it: one that is registered under the same
 * identifier later is another one. The tokens that it was given live until they expire.
 *
 * @returns whether the tenant had it
 */
export async function removeApi(tx: Tx, tenantId: string, identifier: string): Promise<boolean> {
  const api = (await listApis(tx, tenantId)).find((one) => one.identifier === identifier);
  if (api === undefined) return false;
  await deleteApi(tx, api);
  for (const client of await listClients(tx, tenantId)) {
    if (!client.apis.includes(identifier)) continue;
    const apis = client.apis.filter((one) => one !== identifier);
    const serviceScopes = client.serviceScopes.filter((scope) => !Object.hasOwn(api.scopes, scope));
    await updateClient(tx, { ...client, apis, serviceScopes });
  }
  return true;
}
