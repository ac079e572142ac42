// Loads the development tenants into an empty database.
import { invoicingDefaults } from '../../core/access/invoicing.ts';
import { type TenantLimits, tenantLimits } from '../../core/limits.ts';
import { blankMember, type Member, noAddress } from '../../core/members/member.ts';
import type { Tenant } from '../../core/tenant.ts';
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
import { type DevelopmentMember, developmentMembers, developmentPassword } from './members.ts';

const day = 24 * 60 * 60 * 1_000;

/** Everything on a developer's machine comes from one address, so addresses are not limited there. */
const developmentLimits: TenantLimits = {
  ...tenantLimits,
  pendingDeviceCodes: 5_000,
  deviceRequestsPerAddressAndMinute: null,
  deviceRequestsPerAddressAndHour: null,
  deviceRequestsPerClientAndMinute: null,
  failedGrantsPerClientAddressAndMinute: null,
  failedClientAuthenticationsPerAddressAndMinute: null,
  wrongUserCodesPerAddress: null,
  signUpsPerAddressAndHour: null,
  signUpsPerAddressAndDay: null,
  recoveriesPerAddressAndHour: null,
  emailCodesPerAddressAndHour: null,
  failedSignInsPerAddressAndMinute: null,
};

/** The issuer of a development tenant when the service listens on this port. */
export function developmentAddress(tenant: DevelopmentTenant, port: number): Pick<Tenant, 'issuer' | 'host'> {
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
    // One hash for all: forty-five of them would make the first start wait for seconds.
    passwords.hash(developmentPassword),
    Promise.all(developmentTenants.map(prepare)),
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
