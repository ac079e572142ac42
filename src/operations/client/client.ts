// Registers and changes clients.
import type { Client } from '../../core/client.ts';
import { withdraw } from '../../core/grants/device-code.ts';
import { sha256 } from '../../core/hash.ts';
import {
  accessTokenSeconds,
  refreshTokenAbsolute,
  refreshTokenIdle,
  replayWindow,
  signInsPerMember,
} from '../../core/limits.ts';
import { foreignAlgorithms } from '../../core/oidc/client/foreign-key.ts';
import { apply } from '../../storage/apply.ts';
import {
  findRegisteredClient,
  insertClient,
  updateClient,
  updateDeviceFlow,
} from '../../storage/clients/client.ts';
import { cancelCodesOfClient } from '../../storage/grants/authorization-code.ts';
import { listOpenDeviceCodes } from '../../storage/grants/device-code.ts';
import { endSignInsOfClient } from '../../storage/grants/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import { findTenant } from '../../storage/tenant.ts';
import { refuseIfAny } from '../refusal.ts';
import { apiSettingProblems, registrationProblems } from './client-problems.ts';

/** A client as an operator registers it; what is left out gets its default. */
export interface ClientRegistration
  extends Pick<Client, 'clientId' | 'name' | 'type'>,
    Partial<Omit<Client, 'clientId' | 'name' | 'type' | 'tenantId' | 'secrets'>> {
  /** The secret in clear; only its hash is kept. */
  readonly secret?: string;
  /** Secrets that are known by their hashes alone. */
  readonly secretHashes?: readonly string[];
}

/** The settings of a client that its registration does not name. */
export const clientDefaults = {
  origin: 'operator',
  claimedName: null,
  logo: null,
  authenticationMethod: 'client_secret',
  jwks: null,
  jwksUri: null,
  signingAlgorithms: foreignAlgorithms,
  redirectUris: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  webOrigins: [],
  apis: [],
  clientCredentials: false,
  serviceScopes: [],
  signupDisabled: false,
  deviceFlow: false,
  thirdParty: false,
  accessTokenAlgorithm: 'ES256',
  idTokenAlgorithm: 'RS256',
  claimsInIdToken: false,
  claimsParameter: false,
  accessTokenSeconds: accessTokenSeconds.default,
  refreshTokenIdle,
  refreshTokenAbsolute,
  replayWindow: replayWindow.default,
  signInsPerMember: signInsPerMember.default,
  profile: 'none',
  pushedRequests: 'off',
  requestObjects: 'off',
  signedResponses: false,
  introspection: false,
  dpop: 'off',
  dpopNonce: false,
  disabledAt: null,
} as const satisfies Partial<Client>;

/**
 * Registers a client of a tenant (contract, "OIDC client (configuration record)"; decision 8; R18).
 *
 * @throws OperationRefused with every problem at once
 */
export async function registerClient(
  tx: Tx,
  tenantId: string,
  registration: ClientRegistration,
  now: number,
): Promise<Client> {
  const { secret, secretHashes = [], ...given } = registration;
  const hashes = [...secretHashes, ...(secret === undefined ? [] : [sha256(secret)])];
  const client: Client = {
    ...clientDefaults,
    ...given,
    tenantId,
    secrets: hashes.map((hash) => ({ hash, createdAt: now })),
  };
  refuseIfAny([
    ...registrationProblems(client, null, await isDevelopment(tx, tenantId)),
    ...(await apiSettingProblems(tx, client, clientDefaults)),
  ]);
  await insertClient(tx, client, now);
  return client;
}

/** Whether this is a development tenant, whose clients and APIs may be on one's own machine. */
export const isDevelopment = async (tx: Tx, tenantId: string): Promise<boolean> =>
  (await findTenant(tx, tenantId))?.development === true;

/** What can be changed of a client; what is left out stays as it is. Its device flow is `setDeviceFlow`'s. */
export type ClientChanges = Partial<Omit<Client, 'tenantId' | 'clientId' | 'type' | 'deviceFlow'>>;

/**
 * Changes a client of a tenant. A name or an address that stays may be older than what they are held to now.
 *
 * @returns the client as it is now, or null if there is none
 * @throws OperationRefused with every problem at once
 */
export async function changeClient(
  tx: Tx,
  tenantId: string,
  clientId: string,
  changes: ClientChanges,
): Promise<Client | null> {
  const client = await findRegisteredClient(tx, tenantId, clientId);
  if (client === null) return null;
  const changed = { ...client, ...changes };
  refuseIfAny([
    ...registrationProblems(changed, client, await isDevelopment(tx, tenantId)),
    ...(await apiSettingProblems(tx, changed, client)),
  ]);
  await updateClient(tx, changed);
  return changed;
}

/**
 * Disables a client: it is as if it were not there, and what it was given ends. Its sign-ins do not come back
 * when it is enabled again.
 *
 * @param isTrial whether it is taken back: then nothing ends
 * @returns the client as it is now, or null if there is none; the caller reloads the tenants
 */
export async function disableClient(
  tx: Tx,
  tenantId: string,
  clientId: string,
  { now, isTrial = false }: { readonly now: number; readonly isTrial?: boolean },
): Promise<Client | null> {
  const client = await findRegisteredClient(tx, tenantId, clientId);
  if (client === null || client.disabledAt !== null) return client;
  const disabled = { ...client, disabledAt: now };
  await updateClient(tx, disabled);
  if (isTrial) return disabled;
  await endSignInsOfClient(tx, client, 'client_disabled', now);
  for (const code of await listOpenDeviceCodes(tx, { tenantId, clientId })) await apply(tx, withdraw(code));
  await cancelCodesOfClient(tx, client);
  return disabled;
}

/**
 * Turns the device flow of a client on or off. Off ends its pending codes: their polls answer `invalid_grant`
 * and their pages say that they are not valid.
 *
 * @param isTrial whether it is taken back: then no code ends
 * @returns whether there is such a client
 */
export async function setDeviceFlow(
  tx: Tx,
  tenantId: string,
  clientId: string,
  enabled: boolean,
  isTrial = false,
): Promise<boolean> {
  if ((await findRegisteredClient(tx, tenantId, clientId)) === null) return false;
  await updateDeviceFlow(tx, tenantId, clientId, enabled);
  if (!enabled && !isTrial) {
    for (const code of await listOpenDeviceCodes(tx, { tenantId, clientId })) await apply(tx, withdraw(code));
  }
  return true;
}
