// Plans the products, packages, channels, consents and properties of a tenant.
import { describeChannel, describeConsent, describePackage } from '../export.ts';
import type { FileChannel, FileConsent } from '../tenant-file.ts';
import { call, type Entry, type Ids, type Kind, type Planning, planList, type Target } from './entry.ts';

const products: Kind<'products'> = {
  noun: 'product',
  section: 'products',
  by: 'name',
  describe: () => ({}),
  factsOf: () => ({}),
  add: (name) => [{ ...call('products.create', { name }), makes: ['product', name] }],
  change: () => [],
};

const properties: Kind<'properties'> = {
  noun: 'property',
  section: 'properties',
  by: 'key',
  describe: (known) => known,
  add: (property) => [call('properties.define', property)],
  change: (property) => [call('properties.define', property)],
};

const packages: Kind<'packages'> = {
  noun: 'package',
  section: 'packages',
  by: 'name',
  describe: describePackage,
  factsOf: withSameOrder,
  add: ({ products: opened, ...facts }) => [
    {
      operation: 'packages.create',
      input: (ids) => ({ ...facts, productIds: productIds(ids, opened) }),
      makes: ['package', facts.name],
    },
  ],
  // Its name says which one is meant, and stays: of two that had one name a file calls the second by another.
  change: ({ name: _, products: opened, ...facts }, { id: packageId }) => [
    {
      operation: 'packages.change',
      input: (ids) => ({ ...facts, packageId, productIds: productIds(ids, opened) }),
    },
  ],
  end: {
    note: 'no longer offered',
    calls: ({ id: packageId }) => [call('packages.change', { packageId, offered: false })],
    isOver: ({ offered }) => !offered,
  },
};

const channelCalls = ({ id: channelId, products: opening, ...facts }: FileChannel, before = '') => [
  {
    operation: 'channels.define',
    input: (ids: Ids) => ({
      description: before,
      ...facts,
      channelId,
      productIds: productIds(ids, opening),
    }),
  },
];

const channels: Kind<'channels'> = {
  noun: 'channel',
  section: 'channels',
  by: 'id',
  describe: describeChannel,
  factsOf: withSameOrder,
  add: (channel) => channelCalls(channel),
  change: (channel, { description }) => channelCalls(channel, description),
  end: {
    note: 'deleted',
    calls: ({ id: channelId }) => [call('channels.delete', { channelId })],
    isOver: () => false,
  },
};

const consentCalls = ({ id: consentId, ...facts }: FileConsent) => [
  call('consents.load', { ...facts, consentId }),
];

const consents: Kind<'consents'> = {
  noun: 'consent',
  section: 'consents',
  by: 'id',
  describe: describeConsent,
  add: consentCalls,
  change: consentCalls,
  end: {
    note: 'asked for no more',
    calls: ({ id: consentId }) => [call('consents.retire', { consentId })],
    isOver: ({ retiredAt }) => retiredAt !== null,
  },
};

export function planAccess(planning: Planning, target: Target): readonly Entry[] {
  return [
    ...planList(planning, target, properties),
    ...planList(planning, target, products),
    ...planList(planning, target, packages),
    ...planList(planning, target, channels),
    ...planList(planning, target, consents),
  ];
}

interface WithProducts {
  readonly products: readonly string[];
}

/** Whichever order a file names products in, they are the same products. */
function withSameOrder(entry: WithProducts, described: object): object {
  const { products: before } = described as WithProducts;
  const isSame =
    entry.products.length === before.length && entry.products.every((name) => before.includes(name));
  return isSame ? { ...entry, products: before } : entry;
}

const productIds = (ids: Ids, names: readonly string[]) =>
  names.map((name, index) => ids.of(['product', name], ['products', index]));
