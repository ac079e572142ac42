// Keeps all tenants and their keys in memory.
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Client, ExtensionUse } from '../../core/client.ts';
import { type ForeignAlgorithm, foreignAlgorithms } from '../../core/oidc/client/foreign-key.ts';
import { type WebOrigins, webOriginsOf } from '../../core/oidc/client/web-origin.ts';
import type { SigningAlgorithm, Tenant } from '../../core/tenant.ts';
import { readSigningKey, type SigningKey } from '../../secrets/signing.ts';
import type { Vault } from '../../secrets/vault.ts';
import { listClients } from '../../storage/clients/client.ts';
import { connectionOf } from '../../storage/prepared.ts';
import { findService } from '../../storage/service.ts';
import type { Tx } from '../../storage/store.ts';
import { listSigningKeys, listTenants } from '../../storage/tenant.ts';

/** A tenant with its keys in clear: what a request needs to know of its tenant. */
export interface OpenTenant extends Tenant {
  /** Key of refresh tokens and of what travels with the browser. */
  readonly tokenKey: KeyObject;
  /** Every key that is published, oldest first. */
  readonly keys: readonly SigningKey[];
  /** What signs the id_tokens of its clients; RS256 and ES256 always may (interop 57). */
  readonly idTokenAlgorithms: readonly SigningAlgorithm[];
  /** Whether a client may ask for single claims and for an acr (interop 55 and 67). */
  readonly claimsParameter: boolean;
  /** Whether a client has the device flow: only then discovery lists it (contract, "Discovery document"). */
  readonly deviceFlow: boolean;
  /**
   * Whether an app that members sign in to makes accounts, so that our own pages may too, and whether the page of a TV may:
   * no app of a TV forbids it (pages 12).
   */
  readonly signUp: boolean;
  readonly signUpOnTv: boolean;
  /** Whether a client gets tokens in its own name: only then discovery lists that grant (interop 60). */
  readonly clientCredentials: boolean;
  /** Whether a client may push its requests, and whether all of them must (RFC 9126 §5). */
  readonly pushedRequests: ExtensionUse;
  /** Whether a client may sign its requests, whether all of them must, and by what (RFC 9101 §10.5). */
  readonly requestObjects: ExtensionUse;
  readonly requestObjectAlgorithms: readonly ForeignAlgorithm[];
  /** What signs the answers of the clients that may have them signed: nothing where none may (JARM §4). */
  readonly responseAlgorithms: readonly SigningAlgorithm[];
  /** What clients sign assertions by; none where all prove by a secret who they are (interop 53). */
  readonly assertionAlgorithms: readonly ForeignAlgorithm[];
  /** Whether a client may have tokens that are bound to a key: elsewhere no DPoP proof is looked at (interop 49). */
  readonly dpop: boolean;
  /** Whether a client is told of sign-outs: only then discovery says that they are (interop 45). */
  readonly backchannelLogout: boolean;
  /** The client_ids of those whose proofs must carry a nonce (interop 59). */
  readonly nonceClients: ReadonlySet<string>;
  /** Whether a client may introspect tokens: only then discovery lists it (interop 52). */
  readonly introspection: boolean;
  /** The web origins of all clients. */
  readonly webOrigins: WebOrigins;
  /** Tokens that were issued before this moment (ms) are refused: a backup was restored then. */
  readonly tokensFrom: number;
}

export type Tenants = ReturnType<typeof createTenants>;

/**
 * All tenants, in memory. What this process changes it puts in place itself; what another one of the same database
 * changed, the first transaction finds that sees it (`follow`).
 */
export function createTenants(vault: Vault) {
  let byHost = new Map<string, OpenTenant>();
  let byIssuer = new Map<string, OpenTenant>();
  /** The version of what is in place (`Connection.version`). */
  let version = -1;
  /**
   * Reads all tenants, keys and clients' settings anew, in the transaction that changes them, so that nothing can
   * come between the two.
   *
   * @returns what puts them in place, to be called after the commit: what is in memory never runs ahead of the disk
   */
  const read = async (tx: Tx): Promise<() => void> => {
    const tenants = await openTenants(tx, vault);
    const seen = connectionOf(tx).version;
    return () => {
      // Another transaction may have put something newer in place meanwhile.
      if (seen < version) return;
      version = seen;
      byHost = new Map(tenants.map((tenant) => [tenant.host, tenant]));
      byIssuer = new Map(tenants.map((tenant) => [tenant.issuer, tenant]));
    };
  };
  return {
    read,
    /** By the raw Host header (decision 1). */
    byHost: (host: string) => answering(byHost.get(host)),
    byIssuer: (issuer: string) => answering(byIssuer.get(issuer)),
    /** Those that are disabled too. */
    all: (): readonly OpenTenant[] => [...byHost.values()],
    /** The version of what is in place: a request was given what is as new as this. */
    version: () => version,
    /** Makes sure that what is in place is no older than what a transaction sees, which changes nothing itself. */
    follow: async (tx: Tx): Promise<void> => {
      if (connectionOf(tx).version > version) (await read(tx))();
    },
    /** Reads them and puts them in place at once: for a transaction that cannot fail any more. */
    reload: async (tx: Tx): Promise<void> => (await read(tx))(),
  };
}

const answering = (tenant: OpenTenant | undefined) =>
  tenant === undefined || tenant.disabledAt !== null ? null : tenant;

/** A tenant that is being made in a transaction: nothing is signed for it before the commit. */
export function withoutKeys(tenant: Tenant): OpenTenant {
  const tokenKey = createSecretKey(Buffer.alloc(32));
  return { ...tenant, tokenKey, keys: [], ...settingsOf([]), tokensFrom: 0 };
}

async function openTenants(tx: Tx, vault: Vault): Promise<readonly OpenTenant[]> {
  const keys = (await listSigningKeys(tx)).filter((row) => row.retiredAt === null);
  const clients = (await listClients(tx)).filter(({ disabledAt }) => disabledAt === null);
  const tokensFrom = (await findService(tx))?.tokensFrom ?? 0;
  const clientsOf = (tenantId: string) => clients.filter((client) => client.tenantId === tenantId);
  return (await listTenants(tx)).map(({ tenant, tokenKey }) => ({
    ...tenant,
    tokenKey: createSecretKey(vault.decrypt(tokenKey, tenant.id)),
    keys: keys
      .filter((row) => row.tenantId === tenant.id)
      .map((row) => readSigningKey({ ...row, privateKey: vault.decrypt(row.privateKey, tenant.id) })),
    ...settingsOf(clientsOf(tenant.id)),
    ...(takesUnverified(tenant) ? { assertionAlgorithms: foreignAlgorithms } : {}),
    tokensFrom,
  }));
}

/** Whether clients may come that no operator registered: then each of them may sign its assertions by what we take. */
const takesUnverified = ({ clientRegistration, clientMetadataDocuments }: Tenant) =>
  clientRegistration !== 'off' || clientMetadataDocuments !== 'off';

/** The algorithms of id_tokens in the order of discovery. */
const listedAlgorithms: readonly SigningAlgorithm[] = ['RS256', 'ES256', 'PS256', 'EdDSA'];

/** What a tenant has because of its clients. */
function settingsOf(
  clients: readonly Client[],
): Pick<
  OpenTenant,
  | 'idTokenAlgorithms'
  | 'claimsParameter'
  | 'backchannelLogout'
  | 'clientCredentials'
  | 'deviceFlow'
  | 'signUp'
  | 'signUpOnTv'
  | 'assertionAlgorithms'
  | 'pushedRequests'
  | 'requestObjects'
  | 'requestObjectAlgorithms'
  | 'responseAlgorithms'
  | 'dpop'
  | 'nonceClients'
  | 'introspection'
  | 'webOrigins'
> {
  const used = new Set<SigningAlgorithm>(['RS256', 'ES256']);
  for (const { idTokenAlgorithm } of clients) used.add(idTokenAlgorithm);
  const signUp = clients.some(makesAccounts);
  return {
    idTokenAlgorithms: listedAlgorithms.filter((algorithm) => used.has(algorithm)),
    claimsParameter: clients.some((client) => client.claimsParameter),
    clientCredentials: clients.some((client) => client.clientCredentials),
    deviceFlow: clients.some((client) => client.deviceFlow),
    signUp,
    signUpOnTv: signUp && !clients.some((client) => client.deviceFlow && client.signupDisabled),
    assertionAlgorithms: signedByAny(
      clients.filter(({ authenticationMethod }) => authenticationMethod === 'private_key_jwt'),
    ),
    pushedRequests: useOf(clients.map(({ pushedRequests }) => pushedRequests)),
    requestObjects: useOf(clients.map(({ requestObjects }) => requestObjects)),
    requestObjectAlgorithms: signedByAny(clients.filter(({ requestObjects }) => requestObjects !== 'off')),
    responseAlgorithms: listedAlgorithms.filter((algorithm) =>
      clients.some((client) => client.signedResponses && client.idTokenAlgorithm === algorithm),
    ),
    dpop: clients.some(({ dpop }) => dpop !== 'off'),
    backchannelLogout: clients.some((client) => client.backchannelLogoutUri !== null),
    nonceClients: new Set(clients.filter(demandsNonce).map(({ clientId }) => clientId)),
    introspection: clients.some((client) => client.introspection),
    webOrigins: webOriginsOf(clients),
  };
}

const demandsNonce = ({ dpop, dpopNonce }: Client) => dpop !== 'off' && dpopNonce;

/** What a tenant's clients make of an extension: required is what all of them must use. */
function useOf(uses: readonly ExtensionUse[]): ExtensionUse {
  if (uses.every((use) => use === 'off')) return 'off';
  return uses.every((use) => use === 'required') ? 'required' : 'allowed';
}

/** What at least one of these clients may sign by. */
function signedByAny(signing: readonly Client[]): readonly ForeignAlgorithm[] {
  return foreignAlgorithms.filter((algorithm) =>
    signing.some(({ signingAlgorithms }) => signingAlgorithms.includes(algorithm)),
  );
}

/** An operator's app that people sign in to, and may make an account on the way. */
const makesAccounts = ({ origin, redirectUris, signupDisabled }: Client): boolean =>
  origin === 'operator' && redirectUris.length > 0 && !signupDisabled;
