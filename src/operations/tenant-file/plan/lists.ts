// Plans the lists of a tenant: its products, packages, channels, consents, properties and clients.
import { canonicalNetworks } from '../../../core/access/network.ts';
import type { Client } from '../../../core/client.ts';
import type { FieldChange } from '../../../core/operators/audit-event.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { secretIdOf } from '../../admin/clients/client.ts';
import { describeApi, describeChannel, describeClient, describeConsent, describePackage } from '../export.ts';
import {
  each,
  type FileChannel,
  type FileClient,
  type FileConsent,
  type FilePackage,
} from '../tenant-file.ts';
import {
  call,
  type Entry,
  type Ids,
  type Kind,
  type PlannedCall,
  type Planning,
  planList,
  type Target,
} from './entry.ts';
import { providersOf } from './providers.ts';

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
  factsOf: ({ networks, ...offer }, described) => ({
    ...withSameOrder(offer, described),
    ...(networks && { networks: canonicalNetworks(networks) }),
  }),
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

export function planLists(planning: Planning, target: Target): readonly Entry[] {
  return [
    ...planList(planning, target, properties),
    ...planList(planning, target, products),
    ...planList(planning, target, packages),
    ...planList(planning, target, channels),
    ...planList(planning, target, consents),
    ...planList(planning, target, apis),
    ...planList(planning, target, providersOf(planning)),
    ...planList(planning, target, clientsOf(planning)),
  ];
}

/** Takes over the order of the products that are there, if a file names the same ones: their order says nothing. */
function withSameOrder(entry: FileChannel | FilePackage, described: object): object {
  const { products: before } = described as Pick<FileChannel, 'products'>;
  const isSame =
    entry.products.length === before.length && entry.products.every((name) => before.includes(name));
  return isSame ? { ...entry, products: before } : entry;
}

const productIds = (ids: Ids, names: readonly string[]) =>
  names.map((name, index) => ids.of(['product', name], ['products', index]));

const apis: Kind<'apis'> = {
  noun: 'api',
  section: 'apis',
  by: 'identifier',
  describe: describeApi,
  add: (api) => [call('apis.create', api)],
  change: (api) => [call('apis.change', api)],
  end: {
    note: 'deleted',
    calls: ({ identifier }) => [call('apis.delete', { identifier })],
    isOver: () => false,
  },
};

const clientsOf = ({ tell, force }: Planning): Kind<'clients'> => ({
  noun: 'client',
  section: 'clients',
  by: 'clientId',
  describe: describeClient,
  factsOf: ({ secretHash: _hash, logoFile: _file, ...facts }) => facts,
  moreFields: secretChanges,
  add: (client, at) => {
    const { clientId, name, type, deviceFlow = false, disabled = false } = client;
    const secretHash = each(client.secretHash);
    return [
      call('clients.load', { ...settingsOf(client), clientId, name, type, secretHash }),
      ...(deviceFlow ? [setDeviceFlow(clientId, true, force, at)] : []),
      ...(disabled ? [call('clients.disable', { clientId })] : []),
    ];
  },
  change: (client, known, at, fields) => {
    if (client.type !== known.type) {
      tell(problem([...at, 'type'], 'client_type_fixed', { type: known.type }));
      return [];
    }
    const { clientId, name, deviceFlow = false, disabled = false } = client;
    const changed = new Set(fields.map(({ field }) => field));
    const secretHash = each(client.secretHash);
    return [
      ...(fields.every(({ field }) => apart.includes(field))
        ? []
        : [call('clients.change', { ...settingsOf(client), clientId, name })]),
      ...(changed.has('secrets') ? [call('clients.setSecrets', { clientId, secretHash })] : []),
      ...(changed.has('deviceFlow') ? [setDeviceFlow(clientId, deviceFlow, force, at)] : []),
      ...(changed.has('disabled')
        ? [call(disabled ? 'clients.disable' : 'clients.enable', { clientId })]
        : []),
    ];
  },
  end: {
    note: 'disabled',
    calls: ({ clientId }) => [call('clients.disable', { clientId })],
    isOver: ({ disabledAt }) => disabledAt !== null,
  },
});

/** Settings that operations of their own change. */
const apart = ['secrets', 'deviceFlow', 'disabled'];

function setDeviceFlow(clientId: string, enabled: boolean, force: boolean, at: Path): PlannedCall {
  return { ...call('clients.setDeviceFlow', { clientId, enabled, force }), at: [...at, 'deviceFlow'] };
}

/** What a file says of a client that has a field of that name. */
function settingsOf(client: FileClient): object {
  const { clientId: _id, name: _name, type: _type, secretHash: _hash, logoFile: _file, ...rest } = client;
  const { deviceFlow: _flow, disabled: _disabled, ...settings } = rest;
  return settings;
}

/** Secrets are named by their ids alone (A18), and their order says nothing. */
function secretChanges({ secretHash }: FileClient, { secrets }: Client): readonly FieldChange[] {
  const hashes = each(secretHash);
  const before = secrets.map(({ hash }) => hash);
  const isSame = hashes.length === before.length && hashes.every((hash) => before.includes(hash));
  if (hashes.length === 0 || isSame) return [];
  const shown = (list: readonly string[]) =>
    list.map((hash) => secretIdOf({ hash, createdAt: 0 })).join(', ');
  return [{ field: 'secrets', from: shown(before), to: shown(hashes) }];
}
