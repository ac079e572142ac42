// What a client may see of its member through the member API.
import { type Sight, sightOf } from '../../core/oidc/scope.ts';
import { findClient } from '../../storage/client.ts';
import type { Tx } from '../../storage/store.ts';
import type { Call } from './route.ts';

/**
 * Whether a token is of one of the tenant's own clients. A third party's client may read what its member allowed,
 * and nothing more (decision 41); one that is registered no more has no claim to more than that.
 */
export async function isFirstParty(tx: Tx, { tenant, clientId }: Call): Promise<boolean> {
  const client = await findClient(tx, tenant.id, clientId);
  return client !== null && !client.thirdParty;
}

/** What the client of a token sees of its member (decision 41). */
export async function sightOfCall(tx: Tx, call: Call): Promise<Sight> {
  return sightOf(await isFirstParty(tx, call), call.scope);
}
