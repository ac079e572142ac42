// Loads the development tenants into an empty database.
import { invoicingDefaults } from '../../core/access/invoicing.ts';
import { keptWork } from '../../core/hashes/hash-work.ts';
import { blankMember, type Member, noAddress } from '../../core/members/member.ts';
import type { Tenant } from '../../core/tenant.ts';
import { developmentLimits } from '../../core/tenant-limits.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Vault } from '../../secrets/vault.ts';
import { insertMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { addSubscription } from '../access/subscription.ts';
import { registerClient } from '../client/client.ts';
import { plainTenant, prepareTenant, storeTenant } from '../tenant/tenant.ts';
import { type developmentPackages, developmentReturnOrigins, loadAccess } from './access.ts';
import { type DevelopmentTenant, developmentClients, developmentTenants } from './clients.ts';
import {
  type DevelopmentMember,
  developmentMembers,
  developmentPassword,
  developmentPasswordHash,
} from './members.ts';

const day = 24 * 60 * 60 * 1_000;

/** Which of the development tenants a new development service gets. */
export type Examples = 'all' | 'first' | 'none';

/** The issuer of a development tenant when the service listens on this port. */
export function developmentAddress(
  tenant: Pick<Tenant, 'host'>,
  port: number,
): Pick<Tenant, 'issuer' | 'host'> {
  const host = `${tenant.host}:${port}`;
  return { issuer: `http://${host}`, host };
}

/**
 * Makes the development tenants ready: keys and hashes are slow, so they are made before the transaction
 * that the returned function then fills.
 */
export async function prepareDevelopment(
  { vault, passwords, random, now }: { vault: Vault; passwords: Passwords; random: Random; now: number },
  port: number,
  which: Exclude<Examples, 'none'> = 'all',
): Promise<(tx: Tx) => Promise<void>> {
  const prepare = async (known: DevelopmentTenant) => {
    const { name, branding, clientIds } = known;
    const tenant: Tenant = {
      ...plainTenant,
      ...developmentAddress(known, port),
      id: random.id(now),
      name,
      ...branding,
      development: true,
      emailCodes: 'beside',
      limits: developmentLimits,
      returnOrigins: developmentReturnOrigins,
      // The IBAN that the standard gives as its example.
      invoicing: { ...invoicingDefaults, account: 'NO93 8601 1117 947' },
    };
    return { clientIds, prepared: await prepareTenant(tenant, vault, now) };
  };
  const [passwordHash, tenants] = await Promise.all([
    // One for all: forty-five of them would make the first start wait for seconds.
    hashOf(developmentPassword, passwords),
    Promise.all(developmentTenants.slice(0, which === 'first' ? 1 : undefined).map(prepare)),
  ]);
  return async (tx) => {
    for (const { clientIds, prepared } of tenants) {
      const { id: tenantId } = prepared.tenant;
      await storeTenant(tx, prepared, now);
      for (const client of developmentClients.filter(({ clientId }) => clientIds.includes(clientId))) {
        await registerClient(tx, tenantId, client, now);
      }
      const packageIds = await loadAccess(tx, tenantId);
      for (const [index, given] of developmentMembers.entries()) {
        const { subscriptions = [], address, ...facts } = given;
        const numbers = { id: random.id(now), userId: 1_001 + index, memberNumber: 501_001 + index };
        const phoneVerified = facts.phone !== undefined;
        const beginning = { ...blankMember(tenantId, now), ...numbers, emailVerified: true, phoneVerified };
        const member = { ...beginning, ...facts, address: { ...noAddress, ...address } };
        await insertMember(tx, member, passwordHash);
        await loadSubscriptions(tx, member, subscriptions, packageIds, now);
      }
    }
  };
}

/** The hash of a password; that of the development's own is known, where it takes the work of those that are made today. */
export async function hashOf(password: string, passwords: Passwords): Promise<string> {
  const isKnown =
    password === developmentPassword && keptWork(developmentPasswordHash).passwordWork === passwords.work;
  return isKnown ? developmentPasswordHash : passwords.hash(password);
}

async function loadSubscriptions(
  tx: Tx,
  { id: memberId, tenantId }: Member,
  subscriptions: NonNullable<DevelopmentMember['subscriptions']>,
  packageIds: Readonly<Record<keyof typeof developmentPackages, number>>,
  now: number,
): Promise<void> {
  for (const { package: name, createdDays, activatedDays, expiresDays, properties = {} } of subscriptions) {
    await addSubscription(tx, tenantId, {
      memberId,
      packageId: packageIds[name],
      createdAt: now + createdDays * day,
      activatedAt: now + activatedDays * day,
      expiresAt: now + expiresDays * day,
      customPropertyValues: properties,
    });
  }
}
