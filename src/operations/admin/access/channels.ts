// The operations on content channels.
import { accessIdPattern } from '../../../core/access/content-channel.ts';
import { packageTextLength } from '../../../core/access/limits.ts';
import {
  exactly,
  held,
  linesRule,
  list,
  named,
  nameRule,
  resource,
  type Schema,
  text,
} from '../../../json-schema.ts';
import { deleteContentChannel, listContentChannels } from '../../../storage/access/content-channel.ts';
import type { ListPage } from '../../../storage/list-page.ts';
import { defineContentChannel } from '../../access/content-channel.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { type ListInput, listFields, nextOf, readPage } from '../list.ts';
import type { Operation } from '../operation.ts';
import { productIdField } from './products.ts';

const channelIdField = named(
  'ChannelId',
  held(text('The id of the channel: small letters, digits and hyphens', 'sport-live'), {
    pattern: accessIdPattern.source,
  }),
);
const nameField = held(text('What members read', 'Sport live'), nameRule(packageTextLength.name));
const described = held(
  text('What members read below the name', 'Every match'),
  linesRule(packageTextLength.description),
);
const productIds: Schema = {
  type: 'array',
  description: 'The ids of the products that open it',
  items: productIdField,
  uniqueItems: true,
  examples: [[1]],
};

const channelSchema = resource('Channel', 'A content channel', {
  id: channelIdField,
  name: nameField,
  description: described,
  productIds,
});

const listed = onTenant<ListInput<string> & { readonly channelId?: string }>({
  name: 'channels.list',
  summary: 'List the content channels of a tenant',
  portal: {
    list: {
      title: 'Channels',
      columns: ['id', 'name', 'description'],
      lead: 'What members get to see; each is opened by products.',
      entry: { field: 'channelId', key: 'id' },
    },
  },
  permission: 'access:read',
  method: 'GET',
  path: '/channels',
  optional: listFields('channelId', channelIdField),
  output: exactly('A page of channels, by id', {
    channels: list('Channels', channelSchema),
    next: nextOf(channelIdField),
  }),
  run: async ({ tx, tenant }, { channelId, ...input }) => {
    const read = (page: ListPage<string>) => listContentChannels(tx, tenant.id, page);
    const { page, next } = await readPage(input, channelId, read, ({ id }) => id);
    return { channels: page.map(({ tenantId: _, ...channel }) => channel), next };
  },
});

interface ChannelInput {
  readonly channelId: string;
  readonly name: string;
  readonly description: string;
  readonly productIds: readonly number[];
}

const defined = onTenant<ChannelInput>({
  name: 'channels.define',
  summary: 'Define a content channel, or change the one of that id',
  portal: { page: 'channels.list', reads: 'channels.list', choices: { productIds: 'products.list' } },
  permission: 'access:write',
  method: 'PUT',
  path: '/channels/{channelId}',
  fields: { channelId: channelIdField, name: nameField, productIds },
  optional: { description: { ...described, default: '' } },
  output: channelSchema,
  run: async ({ tx, tenant }, { channelId: id, name, description, productIds }) => {
    const channel = { id, name: name.trim(), description, productIds };
    await defineContentChannel(tx, { ...channel, tenantId: tenant.id });
    return channel;
  },
});

const deleted = onTenant<{ readonly channelId: string }>({
  name: 'channels.delete',
  summary: 'Delete a content channel',
  portal: { page: 'channels.list', reads: 'channels.list', ends: true },
  permission: 'access:write',
  method: 'DELETE',
  path: '/channels/{channelId}',
  fields: { channelId: channelIdField },
  output: exactly('What was deleted', { id: channelIdField }),
  run: async ({ tx, tenant }, { channelId: id }) => {
    if (!(await deleteContentChannel(tx, tenant.id, id))) throw unknown('channel');
    return { id };
  },
});

export const channelOperations: readonly Operation[] = [listed, defined, deleted];
