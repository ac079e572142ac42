import type { CustomProperty } from '../../src/core/access/custom-property.ts';
import { type PackageFacts, packageDefaults } from '../../src/core/access/package.ts';
import { neutralBranding } from '../../src/core/members/branding.ts';
import type { Member } from '../../src/core/members/member.ts';
import { tenantDefaults } from '../../src/core/tenant.ts';
import { tenantLimits } from '../../src/core/tenant-limits.ts';
import { addPackage, addProduct } from '../../src/operations/access/package.ts';
import { addSubscription, defineCustomProperty } from '../../src/operations/access/subscription.ts';
import { type ClientRegistration, registerClient } from '../../src/operations/client/client.ts';
import { prepareTenant, storeTenant } from '../../src/operations/tenant/tenant.ts';
import type { Passwords } from '../../src/secrets/password.ts';
import type { Vault } from '../../src/secrets/vault.ts';
import { insertMember } from '../../src/storage/members/member.ts';
import type { Store } from '../../src/storage/store.ts';
import { systemRandom } from '../../src/system/random.ts';

/** The hosts of the tenants; c.test has no client with the device flow. */
export const hosts = { a: 'a.test', b: 'b.test', c: 'c.test' } as const;

/** Secrets are the same on every tenant, so that only the tenant tells two clients apart. */
export const secrets = { conf1: 'conf1-secret', conf2: 'conf2-secret', third: 'third-secret' } as const;

export const passwords = {
  'a.test': { 'u1@example.test': 'password of u1 at a', 'u2@example.test': 'password of u2 at a' },
  'b.test': { 'u1@example.test': 'password of u1 at b', 'u2@example.test': 'password of u2 at b' },
} as const;

/** The clients of the tenants a and b, under the same names on both. */
export const clients: readonly ClientRegistration[] = [
  {
    clientId: 'pub1',
    name: 'Public One',
    type: 'public',
    redirectUris: ['https://pub1.test/cb'],
    webOrigins: ['https://pub1.test'],
    deviceFlow: true,
  },
  {
    clientId: 'pub2',
    name: 'Public Two',
    type: 'public',
    redirectUris: ['https://pub2.test/cb'],
    deviceFlow: true,
  },
  {
    clientId: 'conf1',
    name: 'Confidential One',
    type: 'confidential',
    secret: secrets.conf1,
    redirectUris: ['https://app.test/cb', 'https://app.test/cb2'],
    postLogoutRedirectUris: ['https://app.test/out', 'https://app.test/out2'],
    deviceFlow: true,
  },
  {
    clientId: 'conf2',
    name: 'Confidential Two',
    type: 'confidential',
    secret: secrets.conf2,
    redirectUris: ['https://app2.test/cb'],
    postLogoutRedirectUris: ['https://app2.test/out'],
  },
  {
    clientId: 'native1',
    name: 'Native One',
    type: 'public',
    redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb'],
  },
  {
    clientId: 'nosign',
    name: 'No Sign-up',
    type: 'public',
    redirectUris: ['https://nosign.test/cb'],
    signupDisabled: true,
  },
  { clientId: 'nodev', name: 'No Device', type: 'public', redirectUris: ['https://nodev.test/cb'] },
  {
    clientId: 'third',
    name: 'Third Party',
    type: 'confidential',
    secret: secrets.third,
    redirectUris: ['https://third.test/cb'],
    thirdParty: true,
    idTokenAlgorithm: 'ES256',
    claimsInIdToken: true,
    accessTokenSeconds: 14_400,
  },
];

/** The package that every member of a and b has. */
const gold: PackageFacts = {
  ...packageDefaults,
  name: 'Gold',
  description: 'Film and sport',
  price: { amount: 0, currency: 'EUR' },
  period: { unit: 'month', count: 1 },
  payment: 'free',
};

const properties: readonly CustomProperty[] = [
  { key: 'code', type: 'string' },
  { key: 'seats', type: 'number' },
  { key: 'since', type: 'timestamp' },
];

const day = 24 * 60 * 60 * 1_000;

/** Loads the tenants a, b and c: clients of the same names, members of the same addresses. */
export async function loadFixtures(
  store: Store,
  vault: Vault,
  hashing: Passwords,
  now: number,
): Promise<void> {
  for (const [name, host] of Object.entries(hosts)) {
    const tenant = await prepareTenant(
      {
        ...neutralBranding,
        id: systemRandom.id(now),
        name: `Tenant ${name.toUpperCase()}`,
        issuer: `https://${host}`,
        host,
        development: false,
        limits: tenantLimits,
        returnOrigins: ['https://app.test'],
        ...tenantDefaults,
        adminSecondFactor: 'optional',
      },
      vault,
      now,
    );
    const tenantId = tenant.tenant.id;
    const known = host === hosts.c ? {} : passwords[host as 'a.test' | 'b.test'];
    const hashes = await Promise.all(Object.values<string>(known).map((password) => hashing.hash(password)));
    const used = host === hosts.c ? clients.filter((client) => client.deviceFlow !== true) : clients;
    await store.transaction(async (tx) => {
      await storeTenant(tx, tenant, now);
      for (const client of used) await registerClient(tx, tenantId, client, now);
      const productIds = [await addProduct(tx, tenantId, 'Film'), await addProduct(tx, tenantId, 'Sport')];
      const packageId = await addPackage(tx, tenantId, gold, productIds);
      for (const property of properties) await defineCustomProperty(tx, tenantId, property);
      for (const [index, email] of Object.keys(known).entries()) {
        const member = memberOf(tenantId, email, index + 1, now);
        await insertMember(tx, member, hashes[index] ?? '');
        await addSubscription(tx, tenantId, {
          memberId: member.id,
          packageId,
          createdAt: now - 2 * day,
          activatedAt: now - day,
          expiresAt: now + 30 * day,
          customPropertyValues: { seats: 2, code: 'x', since: '2026-01-01T00:00:00.000Z' },
        });
      }
    });
  }
}

/** A member with every field telling. */
export function memberOf(tenantId: string, email: string, number: number, now: number): Member {
  return {
    id: systemRandom.id(now),
    tenantId,
    userId: 100 + number,
    memberNumber: 9_000 + number,
    externalId: null,
    email,
    emailVerified: true,
    fullName: `Member ${number}`,
    nickName: `M${number}`,
    phone: `+4790000${String(number).padStart(3, '0')}`,
    phoneVerified: true,
    avatar: `https://example.test/${number}.png`,
    locale: 'en',
    userType: 'member',
    status: 'active',
    address: {
      line1: `Street ${number}`,
      city: 'Oslo',
      postCode: `00${number}0`,
      postOffice: 'OSLO',
      country: 'NO',
      name: `Recipient ${number}`,
      email: `post${number}@example.test`,
    },
    createdAt: now,
    updatedAt: now,
    deletionDueAt: null,
  };
}
