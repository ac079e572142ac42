// The operations on custom properties.
import type { CustomProperty } from '../../../core/access/custom-property.ts';
import { exactly, held, list, named, oneOf, resource, text } from '../../../json-schema.ts';
import { listCustomProperties } from '../../../storage/access/custom-property.ts';
import type { ListPage } from '../../../storage/list-page.ts';
import { defineCustomProperty } from '../../access/subscription.ts';
import { onTenant } from '../define.ts';
import { type ListInput, listFields, nextOf, readPage } from '../list.ts';
import type { Operation } from '../operation.ts';

const keyField = named(
  'PropertyKey',
  held(text('The key of its values: a letter, then letters, digits, _ and -', 'seats'), {
    pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
  }),
);
const propertySchema = resource('Property', 'A property that subscriptions can have', {
  key: keyField,
  type: oneOf('PropertyType', 'What its values are; a timestamp is a text in ISO 8601', [
    'number',
    'string',
    'timestamp',
  ]),
});
const fields = propertySchema.properties as Record<keyof CustomProperty, object>;

const listed = onTenant<ListInput<string> & { readonly key?: string }>({
  name: 'properties.list',
  summary: 'List the properties that subscriptions of a tenant can have',
  portal: {
    list: {
      title: 'Properties',
      columns: ['key', 'type'],
      lead: 'The keys that subscriptions have of your own.',
      entry: { field: 'key', key: 'key' },
    },
  },
  permission: 'access:read',
  method: 'GET',
  path: '/properties',
  optional: listFields('key', keyField),
  output: exactly('A page of properties, by key', {
    properties: list('Properties', propertySchema),
    next: nextOf(keyField),
  }),
  run: async ({ tx, tenant }, { key, ...input }) => {
    const read = (page: ListPage<string>) => listCustomProperties(tx, tenant.id, page);
    const { page, next } = await readPage(input, key, read, (property) => property.key);
    return { properties: page, next };
  },
});

const defined = onTenant<CustomProperty>({
  name: 'properties.define',
  summary: 'Define a property; its type stays for good',
  portal: { page: 'properties.list', reads: 'properties.list' },
  permission: 'access:write',
  method: 'PUT',
  path: '/properties/{key}',
  fields: { key: { ...fields.key }, type: { ...fields.type } },
  output: propertySchema,
  run: async ({ tx, tenant }, { key, type }) => {
    await defineCustomProperty(tx, tenant.id, { key, type });
    return { key, type };
  },
});

export const propertyOperations: readonly Operation[] = [listed, defined];
