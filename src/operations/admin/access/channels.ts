// The operations on content channels.

import { accessIdPattern, networkAccess, openedFor } from '../../../core/access/content-channel.ts';
import { packageTextLength } from '../../../core/access/limits.ts';
import { addressText, parseAddress } from '../../../core/access/network.ts';
import { deleteContentChannel, listContentChannels } from '../../../storage/access/content-channel.ts';
import { listPackageProducts, listPackagesWithNetworks } from '../../../storage/access/package.ts';
import { defineContentChannel } from '../../access/content-channel.ts';
import * as s from '../../json-schema.ts';
import { invalid, unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation } from '../operation.ts';
import { packageIdField, productIdField, productIdsField } from './packages.ts';

export const channelIdField = s.named(
  'ChannelId',
  s.held(s.text('The id of the channel: small letters, digits and hyphens', 'sport-live'), {
    pattern: accessIdPattern.source,
  }),
);
const nameField = s.held(s.text('What members read', 'Sport live'), s.nameRule(packageTextLength.name));
const described = s.held(
  s.text('What members read below the name', 'Every match'),
  s.linesRule(packageTextLength.description),
);
const productIds = productIdsField('The ids of the products that open it');

const channelSchema = s.resource('Channel', 'A content channel', {
  id: channelIdField,
  name: nameField,
  description: described,
  productIds,
});

const listed = onTenant(
  keyedList({
    name: 'channels.list',
    summary: 'List the content channels of a tenant',
    permission: 'access:read',
    route: 'GET /channels',
    title: 'Channels',
    lead: 'What members get to see; each is opened by products.',
    columns: ['name', 'id', 'description'],
    entry: { field: 'channelId', key: 'id' },
    of: 'channels',
    page: 'A page of channels, by id',
    schema: channelSchema,
    read: async ({ tx, tenant }, page) =>
      (await listContentChannels(tx, tenant.id, page)).map(({ tenantId: _, ...channel }) => channel),
  }),
);

const defined = onTenant({
  name: 'channels.define',
  summary: 'Define a content channel, or change the one of that id',
  portal: { page: 'channels.list', reads: 'channels.list', choices: { productIds: 'products.list' } },
  permission: 'access:write',
  route: 'PUT /channels/{channelId}',
  fields: { channelId: channelIdField, name: nameField, productIds },
  optional: { description: { ...described, default: '' } },
  output: channelSchema,
  run: async ({ tx, tenant }, { channelId: id, name, description, productIds }) => {
    const channel = { id, name: name.trim(), description, productIds };
    await defineContentChannel(tx, { ...channel, tenantId: tenant.id });
    return channel;
  },
});

const deleted = onTenant({
  name: 'channels.delete',
  summary: 'Delete a content channel',
  portal: { page: 'channels.list', reads: 'channels.list', ends: 'forGood' },
  permission: 'access:write',
  route: 'DELETE /channels/{channelId}',
  fields: { channelId: channelIdField },
  output: s.exactly('What was deleted', { id: channelIdField }),
  run: async ({ tx, tenant }, { channelId: id }) => {
    if (!(await deleteContentChannel(tx, tenant.id, id))) throw unknown('channel');
    return { id };
  },
});

const openChannelSchema = s.resource('OpenChannel', 'A content channel that is open for a network', {
  id: channelIdField,
  name: nameField,
  grantedBy: s.exactly('What opens it', {
    packageId: packageIdField,
    productId: productIdField,
    network: s.text('The range of that package which the address is in', '198.51.100.0/24'),
  }),
});

const openFor = onTenant({
  name: 'channels.openFor',
  summary: 'List the content channels that are open for an IP address, for any visitor from there',
  permission: 'channels:check',
  route: 'GET /open-channels',
  fields: { ip: s.text('The IP address that a visitor comes from, IPv4 or IPv6', '198.51.100.7') },
  output: s.exactly('What is open for the address', {
    ip: s.text('The address, as it was understood', '198.51.100.7'),
    channels: s.list('The channels that are open, by id; empty if none is', openChannelSchema),
  }),
  run: async ({ tx, tenant }, { ip }) => {
    const address = parseAddress(ip);
    if (address === null) throw invalid('ip', 'not_an_address');
    const opened = openedFor(address, await listPackagesWithNetworks(tx, tenant.id));
    const products = await listPackageProducts(tx, [...opened.keys()]);
    const channels = products.length === 0 ? [] : await listContentChannels(tx, tenant.id);
    return {
      ip: addressText(address),
      channels: channels.flatMap((channel) => {
        const grantedBy = networkAccess(channel, opened, products);
        return grantedBy === null ? [] : [{ id: channel.id, name: channel.name, grantedBy }];
      }),
    };
  },
});

export const channelOperations: readonly Operation[] = [listed, defined, deleted, openFor];
