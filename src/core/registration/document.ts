// Documents whose address is the client_id of what they describe (draft-ietf-oauth-client-id-metadata-document).
import { type Refusal, refusal } from '../decision.ts';
import { readOutboundUrl } from '../oidc/client/outbound-url.ts';
import type { Tenant } from '../tenant.ts';
import { clientAddressLength } from './limits.ts';
import { type ClientMetadata, readMetadata } from './metadata.ts';
import { takesDocumentsOf } from './unverified-client.ts';

/** The settings of a tenant that decide whose documents it takes. */
export type DocumentPolicy = Pick<
  Tenant,
  | 'issuer'
  | 'host'
  | 'development'
  | 'clientRegistration'
  | 'clientMetadataDocuments'
  | 'clientMetadataHosts'
  | 'unverifiedOfflineAccess'
>;

/** A host that is an address and no name tells a member nothing. */
const isNumbered = ({ hostname }: URL) => /^[\d.]+$|^\[/.test(hostname);

/**
 * Reads a client_id that is the address of a document (interop 62): https, a host with a name, a path; no fragment, dot
 * segments or user info; written in the one way in which `URL` writes it, so that no two texts mean one client. On a
 * development tenant it may be http on a loopback address.
 *
 * @returns the address, or null where it is none that the tenant takes
 */
export function readClientAddress(clientId: string, tenant: DocumentPolicy): URL | null {
  if (tenant.clientMetadataDocuments === 'off' || clientId.length > clientAddressLength) return null;
  const url = readOutboundUrl(clientId, tenant.development);
  if (url === null || url.href !== clientId || url.pathname === '/' || url.username !== '') return null;
  if (isNumbered(url) && url.protocol === 'https:') return null;
  // On a developer's machine one name is all there is: there the port tells who it is.
  const [own, its] = tenant.development
    ? [tenant.host, url.host]
    : [new URL(tenant.issuer).hostname, url.hostname];
  if (its === own) return null;
  return takesDocumentsOf(tenant, hostIn(url)) ? url : null;
}

/** As the tenant lists it; of a development tenant any port of this machine is one. */
const hostIn = ({ protocol, host }: URL) => (protocol === 'http:' ? 'localhost' : host);

/**
 * Reads what a document says (interop 62): its `client_id` is its address, byte for byte; its redirect URIs lead to the
 * host that it stands on, to the member's own device by loopback, or to a host that the tenant lists.
 */
export function readDocument(value: unknown, address: URL, tenant: DocumentPolicy): ClientMetadata | Refusal {
  const clientId =
    typeof value === 'object' && value !== null && 'client_id' in value ? value.client_id : null;
  if (clientId !== address.href) {
    return refusal('invalid_client_metadata', 'the client_id in the document is not its address');
  }
  const metadata = readMetadata(value, tenant.issuer, 'refused');
  if ('error' in metadata) return metadata;
  const isOwn = (uri: string) => {
    const { protocol, origin, host } = new URL(uri);
    if (origin === address.origin || protocol === 'http:') return true;
    return protocol === 'https:' && tenant.clientMetadataHosts.includes(host);
  };
  if (!metadata.redirectUris.every(isOwn)) {
    return refusal('invalid_redirect_uri', 'a redirect_uri leads to another host than that of the document');
  }
  return metadata;
}
