// Plans the products, packages, channels, consents and properties of a tenant.
import type { Consent } from '../../../core/access/consent.ts';
import type { ContentChannel } from '../../../core/access/content-channel.ts';
import type { CustomProperty } from '../../../core/access/custom-property.ts';
import type { Package, Product } from '../../../core/access/package.ts';
import { describeChannel, describeConsent, describePackage } from '../describe.ts';
import type { Facts, FileChannel, FileConsent, FilePackage } from '../tenant-file.ts';
import { call, type Entry, type Ids, type Planning, type Target } from './entry.ts';
import { type Kind, planList } from './list.ts';

const products: Kind<string, Product> = {
  noun: 'product',
  section: 'products',
  nameOf: (name) => name,
  knownAs: ({ name }) => name,
  describe: () => ({}),
  factsOf: () => ({}),
  add: (name) => [{ ...call('products.create', { name }), makes: ['product', name] }],
  change: () => [],
};

const properties: Kind<CustomProperty, CustomProperty> = {
  noun: 'property',
  section: 'properties',
  nameOf: ({ key }) => key,
  knownAs: ({ key }) => key,
  describe: (property) => ({ ...property }),
  add: (property) => [call('properties.define', { ...property })],
  change: (property) => [call('properties.define', { ...property })],
};

const packages: Kind<FilePackage, Package> = {
  noun: 'package',
  section: 'packages',
  nameOf: ({ name }) => name,
  knownAs: ({ name }) => name,
  describe: (known) => ({ ...describePackage(known) }),
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

const channels = (all: readonly Product[]): Kind<FileChannel, ContentChannel> => {
  const define = ({ id: channelId, products: opening, ...facts }: FileChannel, before = '') => [
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
  return {
    noun: 'channel',
    section: 'channels',
    nameOf: ({ id }) => id,
    knownAs: ({ id }) => id,
    describe: (known) => ({ ...describeChannel(known, all) }),
    factsOf: withSameOrder,
    add: (channel) => define(channel),
    change: (channel, { description }) => define(channel, description),
    end: {
      note: 'deleted',
      calls: ({ id: channelId }) => [call('channels.delete', { channelId })],
      isOver: () => false,
    },
  };
};

const consentCalls = ({ id: consentId, ...facts }: FileConsent) => [
  call('consents.load', { ...facts, consentId }),
];

const consents: Kind<FileConsent, Consent> = {
  noun: 'consent',
  section: 'consents',
  nameOf: ({ id }) => id,
  knownAs: ({ id }) => id,
  describe: (known) => ({ ...describeConsent(known) }),
  add: consentCalls,
  change: consentCalls,
  end: {
    note: 'asked for no more',
    calls: ({ id: consentId }) => [call('consents.retire', { consentId })],
    isOver: ({ retiredAt }) => retiredAt !== null,
  },
};

export function planAccess(planning: Planning, target: Target): readonly Entry[] {
  const { file, stored } = target;
  return [
    ...planList(planning, target, { given: file.properties, stored: stored.properties }, properties),
    ...planList(planning, target, { given: file.products, stored: stored.products }, products),
    ...planList(planning, target, { given: file.packages, stored: stored.packages }, packages),
    ...planList(
      planning,
      target,
      { given: file.channels, stored: stored.channels },
      channels(stored.products),
    ),
    ...planList(planning, target, { given: file.consents, stored: stored.consents }, consents),
  ];
}

/** Whichever order a file names products in, they are the same products. */
function withSameOrder(entry: { readonly products: readonly string[] }, described: Facts): Facts {
  const before = described.products as readonly string[];
  const isSame =
    entry.products.length === before.length && entry.products.every((name) => before.includes(name));
  return isSame ? { ...entry, products: before } : { ...entry };
}

const productIds = (ids: Ids, names: readonly string[]) =>
  names.map((name, index) => ids.of(['product', name], ['products', index]));
