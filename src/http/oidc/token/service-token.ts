// Checks the access tokens that clients got in their own name for our own APIs (interop 61).
import {
  readServiceToken,
  type ServiceToken,
  servicePermissions,
} from '../../../core/grants/client-credentials.ts';
import type { Permission } from '../../../core/operators/permission.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { findClient } from '../../../storage/clients/client.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Deps } from '../../deps.ts';
import { keyOf, type RefusedToken, refusedToken, verifyAccessToken } from '../bearer.ts';

/** Such a token that is genuine and has not expired. */
export interface ServiceBearer extends ServiceToken {
  /** The tenant that issued it, whichever host is asked: it reaches no other. */
  readonly tenant: OpenTenant;
  /** Thumbprint of the key that it is bound to; left out where it is a bearer token. */
  readonly jkt?: string;
}

/** Verifies such a token. A member's, for the same audience, is `insufficient_scope`. */
export async function checkServiceToken(
  token: string,
  deps: Pick<Deps, 'config' | 'clock' | 'tenants'>,
): Promise<{ readonly ok: true; readonly bearer: ServiceBearer } | RefusedToken> {
  const verified = await verifyAccessToken(token, deps.tenants.byIssuer, deps, deps.clock());
  if (!verified.ok) return verified;
  const { tenant, claims } = verified;
  const read = readServiceToken(claims);
  if (read === null)
    return { ...refusedToken('insufficient_scope'), text: 'the token is none of a client in its own name' };
  return { ok: true, bearer: { ...read, tenant, ...keyOf(claims.cnf) } };
}

/**
 * What such a token may do now, by the settings of its client as they are in this transaction.
 *
 * @returns null where it has stopped working: its tenant or its client is disabled, or gets no such tokens any more
 */
export async function permissionsNow(
  tx: Tx,
  { tenant, ...token }: ServiceBearer,
  { tenants }: Pick<Deps, 'tenants'>,
): Promise<readonly Permission[] | null> {
  if (tenants.byIssuer(tenant.issuer) === null) return null;
  return servicePermissions(token, await findClient(tx, tenant.id, token.clientId));
}
