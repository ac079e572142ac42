// The operation that counts what a tenant has.
import { countedUpTo } from '../../../core/operators/limits.ts';
import { mayGrant, type Permission } from '../../../core/operators/permission.ts';
import { countOfTenant, type TenantCounts } from '../../../storage/count.ts';
import { latestFigure } from '../../../storage/operators/figure.ts';
import * as s from '../../json-schema.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';

/** What has every language in it takes as long to load as all these tables. */
const most = `${countedUpTo / 1_000},000`;

const count = (description: string) =>
  s.orNull(s.wholeNumber(description, 7), `more than ${most}, or not the caller’s to read`);

const countsSchema: s.Schema<Readonly<Record<keyof TenantCounts, number | null>>> = s.resource(
  'Counts',
  'How many there are',
  {
    members: count(
      'Members whose data were not erased; of so many that they are not counted at once, how many there were in the last hour',
    ),
    clients: count('Clients that an operator registered'),
    apis: count('APIs'),
    packages: count('Packages'),
    products: count('Products'),
    channels: count('Content channels'),
    consents: count('Consents'),
    properties: count('Properties'),
    checkouts: count('Checkouts'),
    invoices: count('Invoices'),
    unpaidInvoices: count('Invoices that are not paid'),
    overdueInvoices: count('Invoices that are not paid and were due'),
    tokens: count('Tokens of the admin API'),
  },
);

/** The permissions to read the things that are counted. */
const readWith: Readonly<Record<keyof TenantCounts, Permission>> = {
  members: 'members:read',
  clients: 'clients:read',
  apis: 'apis:read',
  packages: 'access:read',
  products: 'access:read',
  channels: 'access:read',
  consents: 'access:read',
  properties: 'access:read',
  checkouts: 'subscriptions:read',
  invoices: 'subscriptions:read',
  unpaidInvoices: 'subscriptions:read',
  overdueInvoices: 'subscriptions:read',
  tokens: 'tokens:read',
};

const read = onTenant({
  name: 'counts.read',
  summary: 'Count what a tenant has: members, clients, packages, invoices and the rest',
  permission: 'tenants:read',
  route: 'GET /counts',
  output: countsSchema,
  run: async ({ tx, tenant, actor, now }) => {
    const counts = await countOfTenant(tx, tenant.id, countedUpTo, now);
    const told = (name: keyof TenantCounts) => {
      if (!mayGrant(actor, [readWith[name]])) return null;
      if (counts[name] <= countedUpTo) return counts[name];
      return name === 'members' ? latestFigure(tx, tenant.id, name) : null;
    };
    const entries = Object.keys(readWith).map(async (name) => [name, await told(name as keyof TenantCounts)]);
    return Object.fromEntries(await Promise.all(entries));
  },
});

export const countOperations: readonly Operation[] = [read];
