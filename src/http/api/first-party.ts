import { findClient } from '../../storage/client.ts';
import type { Tx } from '../../storage/store.ts';
import type { Call } from './route.ts';

/**
 * Whether a token is one of the tenant's own clients. A third party's client may read what its member sees,
 * and nothing more (decision 14); one that is registered no more has no claim to more than that.
 */
export async function isFirstParty(tx: Tx, { tenant, clientId }: Call): Promise<boolean> {
  const client = await findClient(tx, tenant.id, clientId);
  return client !== null && !client.thirdParty;
}
