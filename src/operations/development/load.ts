// Loads the development tenants into an empty database.
import {
  deletionCoolingOff,
  signInLimit,
  type TenantLimits,
  tenantDefaults,
  wrongUserCodes,
} from '../../core/limits.ts';
import { type Member, noAddress } from '../../core/members/member.ts';
import type { Tenant } from '../../core/tenant.ts';
import type { Passwords } from '../../secrets/password.ts';
import type { Vault } from '../../secrets/vault.ts';
import { insertMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { addSubscription } from '../access/subscription.ts';
import { registerClient } from '../client/client.ts';
import { type NewTenant, prepareTenant, storeTenant } from '../tenant/tenant.ts';
import { type developmentPackages, developmentReturnOrigins, loadAccess } from './access.ts';
import { type DevelopmentTenant, developmentClients, developmentTenants } from './clients.ts';
import { type DevelopmentMember, developmentMembers, developmentPassword } from './members.ts';

const day = 24 * 60 * 60 * 1_000;

/** Everything on a developer's machine comes from one address, so addresses are not limited there. */
const developmentLimits: TenantLimits = {
  pendingDeviceCodes: 5_000,
  deviceRequestsPerAddressAndMinute: null,
  deviceRequestsPerAddressAndHour: null,
  deviceRequestsPerClientAndMinute: null,
  failedGrantsPerClientAddressAndMinute: null,
  failedClientAuthenticationsPerAddressAndMinute: null,
  wrongUserCodesPerMember: wrongUserCodes.perMember,
  wrongUserCodesPerAddress: null,
  signUpsPerAddressAndHour: null,
  signUpsPerAddressAndDay: null,
  recoveriesPerAddressAndHour: null,
  failedSignInsPerAddressAndMinute: null,
  failedSignInsPerAccount: signInLimit.failures,
  deletionCoolingOff,
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
  const [passwordHash, tenants] = await Promise.all([
    // One hash for all: forty-five of them would make the first start wait for seconds.
    passwords.hash(developmentPassword),
    Promise.all(
      developmentTenants.map((tenant) =>
        prepareTenant(
          {
            id: random.id(now),
            name: tenant.name,
            ...developmentAddress(tenant, port),
            brandColor: tenant.brandColor,
            logo: tenant.logo ?? null,
            development: true,
            limits: developmentLimits,
            returnOrigins: developmentReturnOrigins,
            ...tenantDefaults,
          },
          vault,
          now,
        ),
      ),
    ),
  ]);
  return async (tx) => {
    for (const [index, tenant] of tenants.entries()) {
      const clientIds = developmentTenants[index]?.clientIds ?? [];
      await loadTenant(tx, tenant, clientIds, { passwordHash, random, now });
    }
  };
}

interface Fresh {
  readonly passwordHash: string;
  readonly random: Random;
  readonly now: number;
}

async function loadTenant(
  tx: Tx,
  tenant: NewTenant,
  clientIds: readonly string[],
  fresh: Fresh,
): Promise<void> {
  const tenantId = tenant.tenant.id;
  await storeTenant(tx, tenant, fresh.now);
  for (const client of developmentClients.filter(({ clientId }) => clientIds.includes(clientId))) {
    await registerClient(tx, tenantId, client, fresh.now);
  }
  const packageIds = await loadAccess(tx, tenantId);
  for (const [index, member] of developmentMembers.entries()) {
    await loadMember(tx, tenantId, member, 1_001 + index, packageIds, fresh);
  }
}

async function loadMember(
  tx: Tx,
  tenantId: string,
  given: DevelopmentMember,
  userId: number,
  packageIds: Record<keyof typeof developmentPackages, number>,
  { passwordHash, random, now }: Fresh,
): Promise<void> {
  const { subscriptions = [], address = {}, ...facts } = given;
  const member: Member = {
    id: random.id(now),
    tenantId,
    userId,
    memberNumber: 500_000 + userId,
    emailVerified: true,
    nickName: '',
    phone: '',
    phoneVerified: facts.phone !== undefined,
    avatar: null,
    locale: null,
    userType: 'member',
    status: 'active',
    ...facts,
    address: { ...noAddress, ...address },
    createdAt: now,
    updatedAt: now,
    deletionDueAt: null,
  };
  await insertMember(tx, member, passwordHash);
  for (const subscription of subscriptions) {
    await addSubscription(tx, tenantId, {
      memberId: member.id,
      packageId: packageIds[subscription.package],
      createdAt: now + subscription.createdDays * day,
      activatedAt: now + subscription.activatedDays * day,
      expiresAt: now + subscription.expiresDays * day,
      customPropertyValues: subscription.properties ?? {},
    });
  }
}
