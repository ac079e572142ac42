// Queries of tenants.
import { type TenantLimits, tenantLimits } from '../core/limits.ts';
import type { Tenant } from '../core/tenant.ts';
import { changedOne, fromFlag, fromList, toFlag } from './rows.ts';
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
  const row = await tx.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : tenantOf(row);
}

function tenantOf({ tokenKey: _key, createdAt: _createdAt, ...row }: TenantRow): Tenant {
  return {
    ...row,
    development: fromFlag(row.development),
    limits: { ...tenantLimits, ...(JSON.parse(row.limits) as Partial<TenantLimits>) },
    returnOrigins: fromList(row.returnOrigins),
    languages: fromList(row.languages),
    revocationListed: fromFlag(row.revocationListed),
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
    .values({
      ...tenant,
      development: toFlag(tenant.development),
      limits: JSON.stringify(ownLimits(tenant.limits)),
      returnOrigins: JSON.stringify(tenant.returnOrigins),
      languages: JSON.stringify(tenant.languages),
      revocationListed: toFlag(tenant.revocationListed),
      tokenKey,
      createdAt,
    })
    .execute();
}

/** A development tenant's address follows the port the service was started with. */
export async function updateTenantAddress(tx: Tx, id: string, issuer: string, host: string): Promise<void> {
  await tx.updateTable('tenants').set({ issuer, host }).where('id', '=', id).execute();
}

/** Stores whatever of a tenant can be changed: all but its id, its address and its kind. */
export async function updateTenant(tx: Tx, tenant: Tenant): Promise<void> {
  const { id, name, brandColor, logo, passwordLength, stageTenantId, disabledAt } = tenant;
  const result = await tx
    .updateTable('tenants')
    .set({
      name,
      brandColor,
      logo,
      passwordLength,
      stageTenantId,
      disabledAt,
      limits: JSON.stringify(ownLimits(tenant.limits)),
      returnOrigins: JSON.stringify(tenant.returnOrigins),
      languages: JSON.stringify(tenant.languages),
      revocationListed: toFlag(tenant.revocationListed),
    })
    .where('id', '=', id)
    .executeTakeFirst();
  changedOne(result, 'tenant');
}

export async function listSigningKeys(tx: Tx): Promise<readonly SigningKeyRow[]> {
  return tx.selectFrom('signingKeys').selectAll().orderBy('activeFrom').orderBy('kid').execute();
}

/** Every key that a tenant ever had, by the time from which it signs. */
export async function listSigningKeysOf(tx: Tx, tenantId: string): Promise<readonly SigningKeyRow[]> {
  return tx
    .selectFrom('signingKeys')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('activeFrom')
    .orderBy('kid')
    .execute();
}

export async function insertSigningKey(tx: Tx, key: SigningKeyRow): Promise<void> {
  await tx.insertInto('signingKeys').values(key).execute();
}

/** Takes a key out of the JWKS: tokens signed by it are refused from now on. */
export async function retireSigningKey(tx: Tx, kid: string, retiredAt: number): Promise<void> {
  await tx.updateTable('signingKeys').set({ retiredAt }).where('kid', '=', kid).execute();
}

/** What a tenant sets for itself: the rest follows the defaults, also when those change. */
function ownLimits(limits: TenantLimits): Partial<TenantLimits> {
  const defaults: Record<string, number | null> = { ...tenantLimits };
  return Object.fromEntries(Object.entries(limits).filter(([name, value]) => value !== defaults[name]));
}
