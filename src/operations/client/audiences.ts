// What the tokens of a tenant can be for, as it is now.
import type { Audiences } from '../../core/oidc/request/resource.ts';
import type { Tenant } from '../../core/tenant.ts';
import { findApis } from '../../storage/clients/api.ts';
import type { Tx } from '../../storage/store.ts';

/** The address of the member API of a tenant: its name as a resource (RFC 9728 §2). */
export const memberApiAddress = ({ issuer }: Pick<Tenant, 'issuer'>): string => `${issuer}/api/v1`;

/**
 * What a request may name as `resource`. Nothing is looked up where it names none: every refresh comes by here.
 *
 * @param text the resources that it names, and those that were granted; empty or undefined for none
 */
export async function audiencesFor(
  tx: Tx,
  tenant: Pick<Tenant, 'id' | 'issuer'>,
  ...text: readonly (string | undefined)[]
): Promise<Audiences> {
  const own = memberApiAddress(tenant);
  const isNeeded = text.some((one) => one !== undefined && one !== '');
  return { own, apis: isNeeded ? await findApis(tx, tenant.id) : [] };
}
