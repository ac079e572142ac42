// Queries of tenants.
import { type Invoicing, invoicingDefaults } from '../core/access/invoicing.ts';
import type { Tenant } from '../core/tenant.ts';
import { type TenantLimits, tenantLimits } from '../core/tenant-limits.ts';
import { forgetRemembered, insertion } from './prepared.ts';
import { findRow, fromFlag, fromList, given, rowsWith, toFlag, updateRow, updateRows } from './rows.ts';
import type { SigningKeyRow, TenantRow } from './schema.ts';
import type { Tx } from './store.ts';

/** A tenant as stored, with its token key still encrypted. */
export interface StoredTenant {
  readonly tenant: Tenant;
  readonly tokenKey: Buffer;
}

export async function listTenants(tx: Tx): Promise<readonly StoredTenant[]> {
  const rows = await tx.selectFrom('tenants').selectAll().orderBy('name').execute();
  return rows.map((row) => ({ tenant: tenantOf(row), tokenKey: row.tokenKey }));
}

/** The tenant of this id, or null. */
export async function findTenant(tx: Tx, id: string): Promise<Tenant | null> {
  const row = await findRow(tx, 'tenants', { id });
  return row === null ? null : tenantOf(row);
}

function tenantOf({ tokenKey: _key, createdAt: _createdAt, ...row }: TenantRow): Tenant {
  return {
    ...row,
    development: fromFlag(row.development),
    limits: { ...tenantLimits, ...(JSON.parse(row.limits) as Partial<TenantLimits>) },
    invoicing: { ...invoicingDefaults, ...(JSON.parse(row.invoicing) as Partial<Invoicing>) },
    returnOrigins: fromList(row.returnOrigins),
    languages: fromList(row.languages),
    revocationListed: fromFlag(row.revocationListed),
    clientMetadataHosts: fromList(row.clientMetadataHosts),
    unverifiedOfflineAccess: fromFlag(row.unverifiedOfflineAccess),
  };
}

function columnsOf(tenant: Tenant): Omit<TenantRow, 'tokenKey' | 'createdAt'> {
  return {
    ...tenant,
    development: toFlag(tenant.development),
    limits: JSON.stringify(ownOf(tenant.limits, tenantLimits)),
    invoicing: JSON.stringify(ownOf(tenant.invoicing, invoicingDefaults)),
    returnOrigins: JSON.stringify(tenant.returnOrigins),
    languages: JSON.stringify(tenant.languages),
    revocationListed: toFlag(tenant.revocationListed),
    clientMetadataHosts: JSON.stringify(tenant.clientMetadataHosts),
    unverifiedOfflineAccess: toFlag(tenant.unverifiedOfflineAccess),
  };
}

export async function insertTenant(
  tx: Tx,
  tenant: Tenant,
  tokenKey: Buffer,
  createdAt: number,
): Promise<void> {
  await tx
    .insertInto('tenants')
    .values({ ...columnsOf(tenant), tokenKey, createdAt })
    .execute();
  await forgetRemembered(tx);
}

/** A development tenant's address follows the port the service was started with. */
export async function updateTenantAddress(tx: Tx, id: string, issuer: string, host: string): Promise<void> {
  await updateRows(tx, 'tenants', { id }, { issuer, host });
  await forgetRemembered(tx);
}

/** Stores whatever of a tenant can be changed: all but its id, its address and its kind. */
export async function updateTenant(tx: Tx, tenant: Tenant): Promise<void> {
  const { id, issuer: _issuer, host: _host, development: _development, ...changes } = columnsOf(tenant);
  await updateRow(tx, 'tenants', { id }, changes);
  await forgetRemembered(tx);
}

/** Every key of a tenant, or of all tenants, by the time from which it signs. */
export async function listSigningKeys(tx: Tx, tenantId?: string): Promise<readonly SigningKeyRow[]> {
  return rowsWith(tx, 'signingKeys', given({ tenantId })).orderBy('activeFrom').orderBy('kid').execute();
}

const insertKey = insertion('signingKeys');

export async function insertSigningKey(tx: Tx, row: Parameters<typeof insertKey>[1]): Promise<void> {
  await insertKey(tx, row);
  await forgetRemembered(tx);
}

/** Takes a key out of the JWKS: tokens signed by it are refused from now on. */
export async function retireSigningKey(tx: Tx, kid: string, retiredAt: number): Promise<void> {
  await updateRows(tx, 'signingKeys', { kid }, { retiredAt });
  await forgetRemembered(tx);
}

/** What a tenant sets for itself: the rest follows the defaults, also when those change. */
function ownOf<Settings extends object>(settings: Settings, defaults: Settings): object {
  const known = new Map(Object.entries(defaults));
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== known.get(name)));
}
