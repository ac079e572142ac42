// What is done about clients that no operator registered.
import type { Client } from '../../core/client.ts';
import { looksLike } from '../../core/registration/look-alike.ts';
import { bannedWith, isUnverified } from '../../core/registration/unverified-client.ts';
import type { Tenant } from '../../core/tenant.ts';
import { listClients } from '../../storage/clients/client.ts';
import { insertClientBan } from '../../storage/registration/client-ban.ts';
import {
  listUnverifiedClients,
  type UnverifiedClient,
} from '../../storage/registration/unverified-client.ts';
import type { Tx } from '../../storage/store.ts';
import { disableClient } from '../client/client.ts';

/**
 * What an unverified client calls itself, where members may read it; null where it says nothing, or where it may be taken
 * for the tenant or for one of its own clients (decision 50). Asked when a page shows it: a client that an operator
 * registers later is protected too.
 */
export async function claimOf(tx: Tx, tenant: Tenant, client: Client): Promise<string | null> {
  const { claimedName } = client;
  if (!isUnverified(client) || claimedName === null) return null;
  const own = await listClients(tx, tenant.id);
  return looksLike(claimedName, [tenant.name, ...own.map(({ name }) => name)]) ? null : claimedName;
}

/** When a ban begins (ms), and whether it is only tried. */
interface Banning {
  readonly now: number;
  readonly isTrial: boolean;
}

/**
 * Bans a host or a client_id: every unverified client that it names is disabled, its sign-ins end, and it cannot come
 * back until the ban is lifted.
 */
export async function ban(
  tx: Tx,
  tenantId: string,
  names: readonly string[],
  { now, isTrial }: Banning,
): Promise<void> {
  for (const banned of names) await insertClientBan(tx, { tenantId, banned, bannedAt: now });
  for (const { client } of await listUnverifiedClients(tx, tenantId)) {
    if (bannedWith(client).some((name) => names.includes(name))) {
      await disableClient(tx, tenantId, client.clientId, { now, isTrial });
    }
  }
}

/** Bans a client by its client_id and the hosts that are its own. */
export function banClient(tx: Tx, { client }: UnverifiedClient, banning: Banning): Promise<void> {
  return ban(tx, client.tenantId, bannedWith(client), banning);
}
