import type { Client } from '../../core/client.ts';
import { withdraw } from '../../core/device-code.ts';
import { sha256 } from '../../core/hash.ts';
import {
  accessTokenSeconds,
  liveSecrets,
  refreshTokenAbsolute,
  refreshTokenIdle,
  replayWindow,
  signInsPerMember,
} from '../../core/limits.ts';
import { nameProblem } from '../../core/members/details.ts';
import { logoLength } from '../../core/members/limits.ts';
import { logoProblem } from '../../core/members/logo.ts';
import { logoutUriProblem, redirectUriProblem } from '../../core/oidc/redirect-uri.ts';
import { isWebOrigin } from '../../core/oidc/web-origin.ts';
import { apply } from '../../storage/apply.ts';
import { cancelCodesOfClient } from '../../storage/authorization-code.ts';
import { findRegisteredClient, insertClient, updateClient, updateDeviceFlow } from '../../storage/client.ts';
import { listOpenDeviceCodes } from '../../storage/device-code.ts';
import { endSignInsOfClient } from '../../storage/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseIfAny } from '../invalid-facts.ts';

/** A client as an operator registers it; what is left out gets its default. */
export interface ClientRegistration
  extends Pick<Client, 'clientId' | 'name' | 'type'>,
    Partial<Omit<Client, 'clientId' | 'name' | 'type' | 'tenantId' | 'secrets'>> {
  /** The secret in clear; only its hash is kept. */
  readonly secret?: string;
  /** Secrets of which the hashes alone are known. */
  readonly secretHashes?: readonly string[];
}

/** The settings of a client of which its registration says nothing. */
export const clientDefaults = {
  logo: null,
  redirectUris: [],
  postLogoutRedirectUris: [],
  webOrigins: [],
  signupDisabled: false,
  deviceFlow: false,
  thirdParty: false,
  accessTokenAlgorithm: 'ES256',
  idTokenAlgorithm: 'RS256',
  claimsInIdToken: false,
  accessTokenSeconds: accessTokenSeconds.default,
  refreshTokenIdle,
  refreshTokenAbsolute,
  replayWindow: replayWindow.default,
  signInsPerMember: signInsPerMember.default,
  disabledAt: null,
} as const satisfies Partial<Client>;

/**
 * Registers a client of a tenant (contract, "OIDC client (configuration record)"; decision 8; R18).
 *
 * @throws InvalidFacts with every problem at once
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
  refuseIfAny(registrationProblems(client, null));
  await insertClient(tx, client, now);
  return client;
}

/** What can be changed of a client; what is left out stays as it is. Its device flow is `setDeviceFlow`'s. */
export type ClientChanges = Partial<Omit<Client, 'tenantId' | 'clientId' | 'type' | 'deviceFlow'>>;

/**
 * Changes a client of a tenant. A name or an address that stays may be older than what they are held to now.
 *
 * @returns the client as it is now, or null if there is none
 * @throws InvalidFacts with every problem at once
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
  refuseIfAny(registrationProblems(changed, client));
  await updateClient(tx, changed);
  return changed;
}

/**
 * Disables a client: it is as if it were not there, and what it was given ends. Its sign-ins do not come back
 * when it is enabled again.
 *
 * @returns the client as it is now, or null if there is none; the caller reloads the tenants
 */
export async function disableClient(
  tx: Tx,
  tenantId: string,
  clientId: string,
  now: number,
): Promise<Client | null> {
  const client = await findRegisteredClient(tx, tenantId, clientId);
  if (client === null || client.disabledAt !== null) return client;
  const disabled = { ...client, disabledAt: now };
  await updateClient(tx, disabled);
  await endSignInsOfClient(tx, client, 'client_disabled', now);
  for (const code of await listOpenDeviceCodes(tx, tenantId, clientId)) await apply(tx, withdraw(code));
  await cancelCodesOfClient(tx, client);
  return disabled;
}

/**
 * Every problem of a client's settings, in words.
 *
 * @param before what it has already, which is not looked at again; null for a new client
 */
export function registrationProblems(
  client: Client,
  before: Pick<Client, 'name' | 'redirectUris' | 'postLogoutRedirectUris' | 'webOrigins'> | null,
): readonly string[] {
  const problems: string[] = [];
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(client.clientId)) {
    problems.push('The client_id must be 1 to 64 letters, digits, _ or -.');
  }
  const name = client.name === before?.name ? null : nameProblem(client.name);
  if (name !== null) problems.push(name);
  const logo = client.logo === null ? null : logoProblem(client.logo, logoLength.client);
  if (logo !== null) problems.push(logo);
  if (client.type === 'public' && client.secrets.length > 0) {
    problems.push('A public client has no secret.');
  }
  if (client.type === 'confidential' && client.secrets.length === 0) {
    problems.push('A confidential client needs a secret.');
  }
  if (client.secrets.length > liveSecrets) problems.push(`A client has at most ${liveSecrets} live secrets.`);
  problems.push(...addressProblems(client, before));
  const isWhole = (value: number, least: number, most: number) =>
    Number.isSafeInteger(value) && value >= least && value <= most;
  if (!isWhole(client.accessTokenSeconds, 1, accessTokenSeconds.most)) {
    problems.push(`The access token lifetime must be 1 to ${accessTokenSeconds.most} seconds.`);
  }
  if (!isWhole(client.replayWindow, 0, replayWindow.most)) {
    problems.push(`The replay window must be 0 to ${replayWindow.most / 1_000} seconds.`);
  }
  if (!isWhole(client.signInsPerMember, 1, signInsPerMember.most)) {
    problems.push(`The sign-ins of a member must be 1 to ${signInsPerMember.most}.`);
  }
  for (const lifetime of [client.refreshTokenIdle, client.refreshTokenAbsolute]) {
    if (!isWhole(lifetime, 1, Number.MAX_SAFE_INTEGER)) {
      problems.push('The refresh token lifetimes must be whole milliseconds above 0.');
    }
  }
  return problems;
}

/** What is wrong with the addresses that a client has not had before. */
function addressProblems(
  client: Client,
  before: Pick<Client, 'redirectUris' | 'postLogoutRedirectUris' | 'webOrigins'> | null,
): readonly string[] {
  const added = (list: 'redirectUris' | 'postLogoutRedirectUris' | 'webOrigins') =>
    client[list].filter((one) => before?.[list].includes(one) !== true);
  const told = (uri: string, problem: string | null) =>
    problem === null ? [] : [`The address "${uri}" ${problem}.`];
  return [
    ...added('redirectUris').flatMap((uri) => told(uri, redirectUriProblem(uri))),
    ...added('postLogoutRedirectUris').flatMap((uri) => told(uri, logoutUriProblem(uri))),
    ...added('webOrigins')
      .filter((origin) => !isWebOrigin(origin))
      .map((origin) => `"${origin}" is not an origin such as https://app.example.com.`),
  ];
}

/**
 * Turns the device flow of a client on or off. Off ends its pending codes: their polls answer `invalid_grant`
 * and their pages say that they are not valid.
 *
 * @returns whether there is such a client
 */
export async function setDeviceFlow(
  tx: Tx,
  tenantId: string,
  clientId: string,
  enabled: boolean,
): Promise<boolean> {
  if ((await findRegisteredClient(tx, tenantId, clientId)) === null) return false;
  await updateDeviceFlow(tx, tenantId, clientId, enabled);
  if (!enabled) {
    for (const code of await listOpenDeviceCodes(tx, tenantId, clientId)) await apply(tx, withdraw(code));
  }
  return true;
}
