// Clients that register themselves, and change what they registered (RFC 7591, RFC 7592).
import type { Client } from '../../core/client.ts';
import { isRefusal, type Refusal, refusal } from '../../core/decision.ts';
import { equalInConstantTime, sha256 } from '../../core/hash.ts';
import { type ClientMetadata, readMetadata } from '../../core/registration/metadata.ts';
import { bannedWith } from '../../core/registration/unverified-client.ts';
import { updateClient } from '../../storage/clients/client.ts';
import { isBanned } from '../../storage/registration/client-ban.ts';
import { useRegistrationToken } from '../../storage/registration/registration-token.ts';
import { findUnverifiedClient, type UnverifiedClient } from '../../storage/registration/unverified-client.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { auditDeed } from '../audit/audit.ts';
import { disableClient } from '../client/client.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { storeUnverifiedClient, unverifiedClient } from './store-client.ts';

/** A registration as it is answered: with the token that changes it, which is known in clear only now. */
export type Registered = Pick<UnverifiedClient, 'client' | 'createdAt'> & { readonly token: string };

/** The tenant that is asked, and when (ms). */
interface Asking {
  readonly tenant: OpenTenant;
  readonly now: number;
}

const noToken = refusal('invalid_token', 'the initial access token is missing, used up, expired or unknown');
const noRoom = refusal('temporarily_unavailable', 'there are too many clients that no member has used');
const isBannedHere = refusal('invalid_redirect_uri', 'the tenant takes no client of this host');

/**
 * Registers a client (RFC 7591 §3). The initial access token is used up in the same transaction, and only by what is
 * registered.
 *
 * @param initialToken what was sent; a tenant that is open does not look at it
 * @returns the registration, or why there is none
 */
export async function register(
  tx: Tx,
  value: unknown,
  initialToken: string | undefined,
  { tenant, now }: Asking,
  { random }: { readonly random: Pick<Random, 'secret' | 'id'> },
): Promise<Registered | Refusal> {
  const metadata = readMetadata(value, tenant.issuer, 'replaced');
  const [clientId, token] = [random.id(now), random.secret()];
  if (tenant.clientRegistration === 'token' && initialToken === undefined) return noToken;
  if (isRefusal(metadata)) return metadata;
  if (tenant.clientRegistration === 'token') {
    const used = { tenantId: tenant.id, secretHash: sha256(initialToken ?? '') };
    if (!(await useRegistrationToken(tx, used, now))) return noToken;
  }
  const client = { ...unverifiedClient(describe(tenant, clientId, metadata)), ...metadata };
  if (await isBanned(tx, tenant.id, bannedWith(client))) return isBannedHere;
  const beside = { lastUsedAt: null, registrationTokenHash: sha256(token), freshUntil: null };
  if (!(await storeUnverifiedClient(tx, { client, createdAt: now, ...beside }))) return noRoom;
  await auditDeed(tx, { event: 'client_registered', tenantId: tenant.id, target: clientId, clientId });
  return { client, createdAt: now, token };
}

const describe = (tenant: OpenTenant, clientId: string, { claimedName, redirectUris }: ClientMetadata) =>
  ({ tenantId: tenant.id, clientId, claimedName, redirectUris, origin: 'registered' }) as const;

const unknownToken = refusal(
  'invalid_token',
  'the registration access token is unknown, or of another client',
);

/** The registration of a client whose token was sent (RFC 7592 §2.1). */
export async function findRegistration(
  tx: Tx,
  clientId: string,
  token: string | undefined,
  { tenant }: Pick<Asking, 'tenant'>,
): Promise<Registered | Refusal> {
  const found = await findUnverifiedClient(tx, tenant.id, clientId);
  const hash = found?.registrationTokenHash ?? null;
  const isRight = token !== undefined && hash !== null && equalInConstantTime(hash, sha256(token));
  if (found === null || !isRight || found.client.disabledAt !== null) return unknownToken;
  return { client: found.client, createdAt: found.createdAt, token };
}

/**
 * Changes what a client registered (RFC 7592 §2.2): all of it is said anew. Its token stays, so that an answer that is
 * lost locks no client out.
 */
export async function changeRegistration(
  tx: Tx,
  clientId: string,
  token: string | undefined,
  value: unknown,
  asking: Asking,
): Promise<Registered | Refusal> {
  const found = await findRegistration(tx, clientId, token, asking);
  if (isRefusal(found)) return found;
  const { client } = found;
  const { tenant } = asking;
  const said =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  if (said.client_id !== clientId)
    return refusal('invalid_client_metadata', 'client_id must be that of the client');
  const metadata = readMetadata(value, tenant.issuer, 'replaced');
  if (isRefusal(metadata)) return metadata;
  if (metadata.type !== client.type) {
    return refusal('invalid_client_metadata', 'token_endpoint_auth_method stays as it was registered');
  }
  const changed: Client = {
    ...client,
    ...unverifiedClient(describe(tenant, clientId, metadata)),
    ...metadata,
  };
  if (await isBanned(tx, tenant.id, bannedWith(changed))) return isBannedHere;
  await updateClient(tx, changed);
  await auditDeed(tx, { event: 'client_registered', tenantId: tenant.id, target: clientId, clientId });
  return { ...found, client: changed };
}

/** Ends a registration and every sign-in of it (RFC 7592 §2.3). What remembers it is swept with its sign-ins. */
export async function endRegistration(
  tx: Tx,
  clientId: string,
  token: string | undefined,
  asking: Asking,
): Promise<Refusal | null> {
  const found = await findRegistration(tx, clientId, token, asking);
  if (isRefusal(found)) return found;
  await disableClient(tx, asking.tenant.id, clientId, { now: asking.now });
  return null;
}
