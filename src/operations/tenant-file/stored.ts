import type { Consent } from '../../core/access/consent.ts';
import type { ContentChannel } from '../../core/access/content-channel.ts';
import type { CustomProperty } from '../../core/access/custom-property.ts';
import type { Package, Product } from '../../core/access/package.ts';
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

export async function readStored(tx: Tx, tenantId: string): Promise<Stored> {
  return {
    properties: await listCustomProperties(tx, tenantId),
    products: await listProducts(tx, tenantId),
    packages: await listPackages(tx, tenantId),
    channels: await listContentChannels(tx, tenantId),
    consents: await listEveryConsent(tx, tenantId),
    clients: await listClients(tx, tenantId),
  };
}
