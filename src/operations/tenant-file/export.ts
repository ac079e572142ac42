// What a tenant has, as a tenant file describes it, and the export that is made of it.
import { Document, isMap, isScalar, isSeq } from 'yaml';
import type { Consent } from '../../core/access/consent.ts';
import { isoTime, isoTimeOrNull } from '../../core/access/iso-time.ts';
import { packageTextLength } from '../../core/access/limits.ts';
import { type Package, packageFacts } from '../../core/access/package.ts';
import type { MemberSubscription } from '../../core/access/subscription.ts';
import type { Client } from '../../core/client.ts';
import type { Api } from '../../core/oidc/api.ts';
import { tenantFile } from '../../core/operators/limits.ts';
import type { IdentityProvider } from '../../core/providers/identity-provider.ts';
import type { Tenant } from '../../core/tenant.ts';
import { listEveryConsent } from '../../storage/access/consent.ts';
import { listContentChannels } from '../../storage/access/content-channel.ts';
import { listPackages, listProducts } from '../../storage/access/package.ts';
import { listCustomProperties, listSubscriptions } from '../../storage/access/subscription.ts';
import { listApis } from '../../storage/clients/api.ts';
import { listClients } from '../../storage/clients/client.ts';
import type { MemberWithPassword } from '../../storage/members/member.ts';
import { listWholeMembers } from '../../storage/members/member-search.ts';
import { listProviders } from '../../storage/providers/identity-provider.ts';
import type { Tx } from '../../storage/store.ts';
import { apiAnswer } from '../admin/clients/apis.ts';
import { clientAnswer } from '../admin/clients/client.ts';
import { memberAnswer } from '../admin/members/member.ts';
import { providerAnswer } from '../admin/providers/provider.ts';
import { tenantAnswer } from '../admin/tenants/tenant.ts';
import { conflict } from '../refusal.ts';
import type {
  FileApi,
  FileChannel,
  FileClient,
  FileConsent,
  FileMember,
  FilePackage,
  FileProvider,
  FileSubscription,
  FileTenant,
} from './tenant-file.ts';

/**
 * Everything that is stored, as a tenant file says it: every field, in the order in which it is written. What
 * an export writes and what a file is compared with are these, so the one cannot differ from the other.
 */

/** A tenant without its sections. */
export function describeTenant(tenant: Tenant, all: readonly Tenant[]): FileTenant {
  const { id: _id, host: _host, disabledAt, development, ...rest } = tenantAnswer(tenant, all);
  const { name, issuer, stageTenant, ...settings } = rest;
  return { issuer, name, development, disabled: disabledAt !== null, stageTenant, ...settings };
}

export function describeClient(client: Client): FileClient {
  const { secrets: _secrets, disabledAt, clientId, name, type, ...settings } = clientAnswer(client);
  const [only, ...others] = client.secrets.map(({ hash }) => hash);
  return {
    clientId,
    name,
    type,
    disabled: disabledAt !== null,
    ...(only === undefined ? {} : { secretHash: others.length === 0 ? only : [only, ...others] }),
    ...settings,
  };
}

export const describeApi = (api: Api): FileApi => apiAnswer(api);

/** Its secret is not in it, and is told from others by its id. */
export function describeProvider(provider: IdentityProvider): FileProvider {
  const { redirectUri: _uri, disabledAt, ...facts } = providerAnswer(provider, { issuer: '' });
  const { key, preset, secretId, ...settings } = facts;
  return { key, preset, disabled: disabledAt !== null, ...settings, secretId };
}

export function describePackage(described: Package): FilePackage {
  return { ...packageFacts(described), products: described.products.map(({ name }) => name) };
}

export function describeChannel({
  id,
  name,
  description,
  products,
}: Stored['channels'][number]): FileChannel {
  return { id, name, description, products: products.map((product) => product.name) };
}

export function describeConsent(consent: Consent): FileConsent {
  const { id, name, description, atSignUp, atCheckout, retiredAt } = consent;
  return { id, name, description, atSignUp, atCheckout, retired: retiredAt !== null };
}

export function describeMember(
  { member, passwordHash }: MemberWithPassword,
  subscriptions: readonly MemberSubscription[],
): FileMember {
  const { status, updatedAt: _updatedAt, deletionDueAt: _due, ...facts } = memberAnswer(member);
  const { email, fullName, id, userId, memberNumber, createdAt, ...rest } = facts;
  return {
    email,
    fullName,
    id,
    userId,
    memberNumber,
    createdAt,
    passwordHash,
    disabled: status === 'disabled',
    ...rest,
    subscriptions: subscriptions.map(describeSubscription),
  };
}

export function describeSubscription(subscription: MemberSubscription): FileSubscription {
  const { packageName, activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
  return {
    package: packageName,
    createdAt: isoTime(subscription.createdAt),
    activatedAt: isoTimeOrNull(activatedAt),
    expiresAt: isoTimeOrNull(expiresAt),
    cancelledAt: isoTimeOrNull(cancelledAt),
    endedAt: isoTimeOrNull(endedAt),
    properties: subscription.customPropertyValues,
  };
}

/** What a tenant has, but for its members. */
export type Stored = Awaited<ReturnType<typeof readStored>>;

/** The things of a tenant that is yet to be made. */
export const nothingStored: Stored = {
  properties: [],
  products: [],
  packages: [],
  channels: [],
  consents: [],
  apis: [],
  identityProviders: [],
  clients: [],
};

/** Reads what a tenant has, products and packages by the names that a file calls them. */
export async function readStored(tx: Tx, tenantId: string) {
  const products = toldApart(await listProducts(tx, tenantId));
  const packages = toldApart(await listPackages(tx, tenantId));
  const channels = await listContentChannels(tx, tenantId);
  return {
    properties: await listCustomProperties(tx, tenantId),
    products,
    packages: packages.map((offer) => ({
      ...offer,
      products: offer.products.map((product) => products.find(({ id }) => id === product.id) ?? product),
    })),
    channels: channels.map((channel) => ({
      ...channel,
      products: products.filter(({ id }) => channel.productIds.includes(id)),
    })),
    consents: await listEveryConsent(tx, tenantId),
    apis: await listApis(tx, tenantId),
    identityProviders: await listProviders(tx, tenantId),
    clients: await listClients(tx, tenantId),
  };
}

/**
 * A file tells things apart by their names, which may stand twice from before they had to be unique: the younger one
 * is called `Name (2)` then. What an export says so, `apply` takes for the same.
 *
 * @param things in the order in which they were made
 */
function toldApart<Thing extends { readonly name: string }>(things: readonly Thing[]): readonly Thing[] {
  const taken = new Set(things.map(({ name }) => name));
  const seen = new Set<string>();
  return things.map((thing) => {
    let { name } = thing;
    for (let number = 2; seen.has(name); number += 1) {
      const end = ` (${number})`;
      const numbered = thing.name.slice(0, packageTextLength.name - end.length).trimEnd() + end;
      if (!taken.has(numbered)) name = numbered;
    }
    seen.add(name);
    taken.add(name);
    return { ...thing, name };
  });
}

/** Subscriptions with the name that a file calls their package. */
export function heldOf(
  subscriptions: readonly MemberSubscription[],
  { packages }: Pick<Stored, 'packages'>,
): readonly MemberSubscription[] {
  return subscriptions.map((held) => ({
    ...held,
    packageName: packages.find(({ id }) => id === held.packageId)?.name ?? held.packageName,
  }));
}

/** How an export is written. */
export type Format = 'yaml' | 'json';
export const formats: readonly Format[] = ['yaml', 'json'];

/**
 * Writes tenants as a file that `apply` reads: secrets as hashes, everything in an order that stays.
 *
 * @param tenants which; by issuer in the file
 * @param all where their stages are found
 * @throws OperationRefused where there are too many members for a file
 */
export async function exportTenants(
  tx: Tx,
  tenants: readonly Tenant[],
  all: readonly Tenant[],
  { format, members }: { readonly format: Format; readonly members: boolean },
): Promise<string> {
  const written: FileTenant[] = [];
  for (const tenant of tenants.toSorted((a, b) => (a.issuer < b.issuer ? -1 : 1))) {
    written.push(await wholeTenant(tx, tenant, all, members));
  }
  return format === 'json' ? `${JSON.stringify({ tenants: written }, null, 2)}\n` : asYaml(written);
}

async function wholeTenant(
  tx: Tx,
  tenant: Tenant,
  all: readonly Tenant[],
  withMembers: boolean,
): Promise<FileTenant> {
  const stored = await readStored(tx, tenant.id);
  const { properties, products, packages, channels, consents, apis, clients } = stored;
  const { identityProviders } = stored;
  const { development, ...settings } = describeTenant(tenant, all);
  return {
    ...settings,
    ...(development === true ? { development } : {}),
    properties,
    products: products.map(({ name }) => name),
    packages: packages.map(describePackage),
    channels: channels.map(describeChannel),
    consents: consents.map(describeConsent),
    apis: apis.map(describeApi),
    identityProviders: identityProviders.map(describeProvider),
    clients: clients.map(describeClient),
    ...(withMembers ? { members: await wholeMembers(tx, tenant, stored) } : {}),
  };
}

async function wholeMembers(tx: Tx, { id, host }: Tenant, stored: Stored): Promise<readonly FileMember[]> {
  const { members: most } = tenantFile;
  const members = await listWholeMembers(tx, id, most + 1);
  if (members.length > most) {
    throw conflict([], 'members_of_file', { host, most });
  }
  const written: FileMember[] = [];
  for (const whole of members) {
    written.push(describeMember(whole, heldOf(await listSubscriptions(tx, whole.member.id), stored)));
  }
  return written;
}

const heading =
  ' memberdoor apply FILE makes a service like this. Secrets are hashes: SHA-256 in base64url; those of providers are not in it.';

/** Lists of entries stand apart. */
const sections = [
  'properties',
  'products',
  'packages',
  'channels',
  'consents',
  'apis',
  'identityProviders',
  'clients',
  'members',
];

function asYaml(tenants: readonly FileTenant[]): string {
  const document = new Document({ tenants }, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  document.commentBefore = heading;
  const list = document.get('tenants');
  if (isSeq(list)) {
    for (const [index, tenant] of list.items.entries()) {
      if (!isMap(tenant)) continue;
      tenant.spaceBefore = index > 0;
      for (const { key } of tenant.items) {
        if (isScalar(key) && sections.includes(String(key.value))) key.spaceBefore = true;
      }
    }
  }
  return document.toString({ lineWidth: 0, singleQuote: true });
}
