// Makes and changes tenants.
import type { Invoicing } from '../../core/access/invoicing.ts';
import { day } from '../../core/limits.ts';
import { brandingProblems, neutralBranding } from '../../core/members/branding.ts';
import { tenantProblems } from '../../core/operators/tenant-problems.ts';
import { type Tenant, tenantDefaults } from '../../core/tenant.ts';
import { type TenantLimits, tenantLimits } from '../../core/tenant-limits.ts';
import type { Vault } from '../../secrets/vault.ts';
import { shortenTrust } from '../../storage/members/known-browser.ts';
import type { Tx } from '../../storage/store.ts';
import { findTenant, insertSigningKey, insertTenant, updateTenant } from '../../storage/tenant.ts';
import { languages } from '../../text/language.ts';
import { refuseIfAny } from '../refusal.ts';
import { prepareKeys } from './keys.ts';

/** The tenant with what every tenant has that says nothing of itself. */
export const plainTenant: Tenant = {
  ...neutralBranding,
  ...tenantDefaults,
  id: '',
  issuer: '',
  host: '',
  development: false,
  limits: tenantLimits,
  returnOrigins: [],
};

/** A tenant about to be stored, with the keys it starts with. */
export type NewTenant = Readonly<Awaited<ReturnType<typeof prepareTenant>>>;

/**
 * Makes a tenant's keys: ES256 for access tokens, RS256 for id_tokens. Slow, so before the transaction.
 *
 * @throws OperationRefused with every problem at once
 */
export async function prepareTenant(tenant: Tenant, vault: Vault, now: number) {
  refuseIfAny(brandingProblems(tenant, tenant.development));
  return { tenant, ...(await prepareKeys(tenant.id, vault, now)) };
}

export async function storeTenant(tx: Tx, { tenant, tokenKey, keys }: NewTenant, now: number): Promise<void> {
  await insertTenant(tx, tenant, tokenKey, now);
  for (const key of keys) await insertSigningKey(tx, key);
}

/** What can be changed of a tenant; what is left out stays as it is. */
export interface TenantChanges
  extends Partial<Omit<Tenant, 'id' | 'issuer' | 'host' | 'development' | 'limits' | 'invoicing'>> {
  readonly limits?: Partial<TenantLimits>;
  readonly invoicing?: Partial<Invoicing>;
}

/**
 * Changes a tenant; the caller reloads the tenants.
 *
 * @returns the tenant as it is now, or null if there is none
 * @throws OperationRefused with every problem at once
 */
export async function changeTenant(tx: Tx, id: string, changes: TenantChanges): Promise<Tenant | null> {
  const tenant = await findTenant(tx, id);
  if (tenant === null) return null;
  const changed = changedTenant(tenant, changes);
  refuseIfAny(tenantProblems(changed, languages));
  await updateTenant(tx, changed);
  const fewer = tenant.trustedBrowserDays - changed.trustedBrowserDays;
  // What members trusted before is held to it too.
  if (fewer > 0) await shortenTrust(tx, id, fewer * day);
  return changed;
}

/** A tenant with these changes, not checked; each entry of a list stands once. */
export function changedTenant(tenant: Tenant, changes: TenantChanges): Tenant {
  const changed = {
    ...tenant,
    ...changes,
    limits: { ...tenant.limits, ...changes.limits },
    invoicing: { ...tenant.invoicing, ...changes.invoicing },
  };
  return {
    ...changed,
    languages: [...new Set(changed.languages)],
    returnOrigins: [...new Set(changed.returnOrigins)],
    clientMetadataHosts: [...new Set(changed.clientMetadataHosts)],
  };
}
