// Makes unverified clients, in bounded number.
import type { Client } from '../../core/client.ts';
import { unusedClientGrace, unusedClients, unverifiedClientLife } from '../../core/registration/limits.ts';
import { hostOf } from '../../core/registration/unverified-client.ts';
import {
  countUnusedClients,
  deleteUnverifiedClient,
  insertUnverifiedClient,
  type UnverifiedClient,
} from '../../storage/registration/unverified-client.ts';
import type { Tx } from '../../storage/store.ts';
import { clientDefaults } from '../client/client.ts';

/** What an unverified client says of itself, as far as it is believed. */
export interface SelfDescription
  extends Pick<Client, 'tenantId' | 'clientId' | 'claimedName' | 'redirectUris'> {
  readonly origin: Exclude<Client['origin'], 'operator'>;
}

/** The client that it makes: a third party's, named by its host, with sign-ins that end soon (decision 50). */
export function unverifiedClient(described: SelfDescription): Client {
  const { origin, clientId, redirectUris } = described;
  return {
    ...clientDefaults,
    ...described,
    name: hostOf(origin === 'document' ? clientId : (redirectUris[0] ?? '')),
    type: 'public',
    secrets: [],
    thirdParty: true,
    refreshTokenIdle: unverifiedClientLife,
    refreshTokenAbsolute: unverifiedClientLife,
  };
}

/**
 * Stores an unverified client. There are so many at most that no member has used: one more takes the place of the oldest,
 * unless a member may just be about to use that one.
 *
 * @returns whether there was room for it
 */
export async function storeUnverifiedClient(
  tx: Tx,
  unverified: UnverifiedClient,
  most = unusedClients,
): Promise<boolean> {
  const { client, createdAt: now } = unverified;
  const { count, oldest } = await countUnusedClients(tx, client.tenantId);
  if (count >= most) {
    if (oldest === null || now < oldest.createdAt + unusedClientGrace) return false;
    await deleteUnverifiedClient(tx, client.tenantId, oldest.clientId);
  }
  await insertUnverifiedClient(tx, unverified);
  return true;
}
