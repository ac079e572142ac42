// What a client is that no operator registered, and what it may.
import type { Client } from '../client.ts';
import type { Scope } from '../oidc/scope.ts';
import type { Tenant } from '../tenant.ts';

/** Whether nothing of what a client says of itself was looked at by an operator (decision 50). */
export const isUnverified = ({ origin }: Pick<Client, 'origin'>): boolean => origin !== 'operator';

/** What a tenant says of such clients. */
export type RegistrationPolicy = Pick<
  Tenant,
  'clientRegistration' | 'clientMetadataDocuments' | 'clientMetadataHosts' | 'unverifiedOfflineAccess'
>;

/** Whether a tenant has documents of this address as clients (decision 50). @param host as `URL` writes it */
export function takesDocumentsOf(
  { clientMetadataDocuments, clientMetadataHosts }: RegistrationPolicy,
  host: string,
): boolean {
  if (clientMetadataDocuments === 'listed') return clientMetadataHosts.includes(host);
  return clientMetadataDocuments === 'any';
}

/**
 * The client, or null where its tenant does not allow clients of its kind any more: then it is as if it were not there,
 * with all that it was given, until the tenant allows them again (decision 50).
 */
export function allowedClient<C extends Pick<Client, 'origin' | 'clientId'>>(
  client: C | null,
  policy: RegistrationPolicy,
): C | null {
  if (client === null || client.origin === 'operator') return client;
  const isAllowed =
    client.origin === 'registered'
      ? policy.clientRegistration !== 'off'
      : takesDocumentsOf(policy, hostOf(client.clientId));
  return isAllowed ? client : null;
}

/** The part of a requested scope that a client may be given: the tenant says whether unverified ones get offline_access. */
export function allowedScope(
  scope: Scope,
  client: Pick<Client, 'origin'>,
  { unverifiedOfflineAccess }: RegistrationPolicy,
): Scope {
  if (!isUnverified(client) || unverifiedOfflineAccess) return scope;
  return scope
    .split(' ')
    .filter((value) => value !== 'offline_access')
    .join(' ');
}

/** What stands for every app on the device in front of the member. */
const thisDevice = 'localhost';

/** Whether a redirect URI leads to the device in front of the member: nothing says what listens there. */
export const isOnDevice = (uri: string): boolean => !uri.startsWith('https:');

/**
 * Who is behind an address, as members read it: its host, the reversed domain name that is its scheme, or `localhost`,
 * which is whatever runs on the device.
 */
export function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return host;
  return protocol === 'http:' ? thisDevice : protocol.slice(0, -1);
}

/**
 * An unverified client as members read of it: by the host of its document, or the one that this answer leads to, and
 * never by a name or a picture of its own (decision 50).
 */
export function namedByHost(client: Client, redirectUri: string): Client {
  if (!isUnverified(client)) return client;
  return { ...client, name: hostOf(client.origin === 'document' ? client.clientId : redirectUri) };
}

/**
 * What a ban of a client is remembered by: its client_id, and the hosts that it names, which are its own. A host with a
 * port is named without it too, since its owner has the other ports as well.
 */
export function bannedWith({ origin, clientId, redirectUris }: Client): readonly string[] {
  const addresses = origin === 'document' ? [clientId] : redirectUris.filter((uri) => !isOnDevice(uri));
  return [...new Set([clientId, ...addresses.flatMap(hostsIn)])];
}

const hostsIn = (uri: string) => [hostOf(uri), ...(isOnDevice(uri) ? [] : [new URL(uri).hostname])];
