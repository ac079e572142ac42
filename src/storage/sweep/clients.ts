// Unverified clients that are forgotten.
import { unusedClientMemory } from '../../core/registration/limits.ts';
import { deleteUnverifiedClient } from '../registration/unverified-client.ts';
import type { Tx } from '../store.ts';
import { indexed, type Sweep } from './sweep.ts';

/**
 * Unverified clients that no member has used for long (interop 63), of each tenant: a client that a sign-in or a code
 * still names stays as long as that is remembered. One at a time, since the tables that may refer to it are looked through.
 *
 * @param now ms
 */
export function forgottenClients(tenantIds: readonly string[], now: number): readonly Sweep[] {
  return tenantIds.map((tenantId) =>
    indexed('clients', async (tx) => {
      const clientId = (await neverUsed(tx, tenantId, now)) ?? (await longUnused(tx, tenantId, now));
      if (clientId === null) return 0;
      await deleteUnverifiedClient(tx, tenantId, clientId);
      return 1;
    }),
  );
}

const unverified = (tx: Tx, tenantId: string) =>
  tx
    .selectFrom('clients')
    .select('clientId')
    .where('tenantId', '=', tenantId)
    .where('origin', '<>', 'operator');

/** Nothing refers to it. */
async function neverUsed(tx: Tx, tenantId: string, now: number): Promise<string | null> {
  const found = await unverified(tx, tenantId)
    .where('lastUsedAt', 'is', null)
    .where('createdAt', '<=', now - unusedClientMemory)
    .limit(1)
    .executeTakeFirst();
  return found?.clientId ?? null;
}

async function longUnused(tx: Tx, tenantId: string, now: number): Promise<string | null> {
  const found = await unverified(tx, tenantId)
    .where('lastUsedAt', '<=', now - unusedClientMemory)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('signIns')
            .select('signIns.id')
            .whereRef('signIns.tenantId', '=', 'clients.tenantId')
            .whereRef('signIns.clientId', '=', 'clients.clientId'),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('authorizationCodes')
            .select('hash')
            .whereRef('authorizationCodes.tenantId', '=', 'clients.tenantId')
            .whereRef('authorizationCodes.clientId', '=', 'clients.clientId'),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return found?.clientId ?? null;
}
