// Exports tenants as a tenant file.
import { Document, isMap, isScalar, isSeq } from 'yaml';
import { tenantFile } from '../../core/operators/limits.ts';
import type { Tenant } from '../../core/tenant.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { listWholeMembers } from '../../storage/members/member-search.ts';
import type { Tx } from '../../storage/store.ts';
import { conflict } from '../refusal.ts';
import {
  describeChannel,
  describeClient,
  describeConsent,
  describeMember,
  describePackage,
  describeTenant,
  heldOf,
  readStored,
  type Stored,
} from './describe.ts';
import type { FileMember, FileTenant } from './tenant-file.ts';

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
  const { properties, products, packages, channels, consents, clients } = stored;
  const { development, ...settings } = describeTenant(tenant, all);
  return {
    ...settings,
    ...(development === true ? { development } : {}),
    properties,
    products: products.map(({ name }) => name),
    packages: packages.map(describePackage),
    channels: channels.map(describeChannel),
    consents: consents.map(describeConsent),
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

const heading = ' memberdoor apply FILE makes a service like this. Secrets are hashes: SHA-256 in base64url.';

/** Lists of entries stand apart. */
const sections = ['properties', 'products', 'packages', 'channels', 'consents', 'clients', 'members'];

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
