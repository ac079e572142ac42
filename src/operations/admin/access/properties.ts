// The operations on custom properties.

import { listCustomProperties } from '../../../storage/access/subscription.ts';
import { defineCustomProperty } from '../../access/subscription.ts';
import * as s from '../../json-schema.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation } from '../operation.ts';

const fields = {
  key: s.named(
    'PropertyKey',
    s.held(s.text('The key of its values: a letter, then letters, digits, _ and -', 'seats'), {
      pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
    }),
  ),
  type: s.oneOf('PropertyType', 'What its values are; a timestamp is a text in ISO 8601', [
    'number',
    'string',
    'timestamp',
  ]),
};
const propertySchema = s.resource('Property', 'A property that subscriptions can have', fields);

const listed = onTenant(
  keyedList({
    name: 'properties.list',
    summary: 'List the properties that subscriptions of a tenant can have',
    permission: 'access:read',
    route: 'GET /properties',
    title: 'Properties',
    lead: 'The keys that subscriptions have of your own.',
    columns: ['key', 'type'],
    entry: { field: 'key', key: 'key' },
    of: 'properties',
    page: 'A page of properties, by key',
    schema: propertySchema,
    read: ({ tx, tenant }, page) => listCustomProperties(tx, tenant.id, page),
  }),
);

const defined = onTenant({
  name: 'properties.define',
  summary: 'Define a property; its type stays for good',
  portal: { page: 'properties.list', reads: 'properties.list' },
  permission: 'access:write',
  route: 'PUT /properties/{key}',
  fields,
  output: propertySchema,
  run: async ({ tx, tenant }, property) => {
    await defineCustomProperty(tx, tenant.id, property);
    return property;
  },
});

export const propertyOperations: readonly Operation[] = [listed, defined];
