// What a tenant has, as its file is compared with it.
import type { Consent } from '../../core/access/consent.ts';
import type { ContentChannel } from '../../core/access/content-channel.ts';
import type { CustomProperty } from '../../core/access/custom-property.ts';
import { packageTextLength } from '../../core/access/limits.ts';
import type { Package, Product } from '../../core/access/package.ts';
import type { MemberSubscription } from '../../core/access/subscription.ts';
import type { Client } from '../../core/client.ts';
import { listEveryConsent } from '../../storage/access/consent.ts';
import { listContentChannels } from '../../storage/access/content-channel.ts';
import { listCustomProperties } from '../../storage/access/custom-property.ts';
import { listPackages } from '../../storage/access/package.ts';
import { listProducts } from '../../storage/access/product.ts';
import { listClients } from '../../storage/client.ts';
import type { Tx } from '../../storage/store.ts';

/** What a tenant has, but for its members. */
export interface Stored {
  readonly properties: readonly CustomProperty[];
  readonly products: readonly Product[];
  readonly packages: readonly Package[];
  readonly channels: readonly ContentChannel[];
  readonly consents: readonly Consent[];
  readonly clients: readonly Client[];
}

/** What a tenant has that is yet to be made. */
export const nothingStored: Stored = {
  properties: [],
  products: [],
  packages: [],
  channels: [],
  consents: [],
  clients: [],
};

/** Reads what a tenant has, products and packages by the names that a file calls them. */
export async function readStored(tx: Tx, tenantId: string): Promise<Stored> {
  const products = toldApart(await listProducts(tx, tenantId));
  const packages = toldApart(await listPackages(tx, tenantId));
  return {
    properties: await listCustomProperties(tx, tenantId),
    products,
    packages: packages.map((offer) => ({
      ...offer,
      products: offer.products.map((product) => products.find(({ id }) => id === product.id) ?? product),
    })),
    channels: await listContentChannels(tx, tenantId),
    consents: await listEveryConsent(tx, tenantId),
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
