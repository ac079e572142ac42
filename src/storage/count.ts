// How many there are of what a tenant has, counted no further than people tell numbers apart.
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Table } from './rows.ts';
import type { Database } from './schema.ts';
import type { Tx } from './store.ts';

/** What is counted of a tenant. */
export interface TenantCounts {
  readonly members: number;
  readonly clients: number;
  readonly apis: number;
  readonly packages: number;
  readonly products: number;
  readonly channels: number;
  readonly consents: number;
  readonly properties: number;
  readonly checkouts: number;
  readonly invoices: number;
  readonly unpaidInvoices: number;
  readonly overdueInvoices: number;
  readonly tokens: number;
}

/**
 * Counts what a tenant has: each by an index that has all that the count asks for, and no further than one beyond
 * `most`.
 */
export async function countOfTenant(
  tx: Tx,
  tenantId: string,
  most: number,
  now: number,
): Promise<TenantCounts> {
  const count = <T extends keyof Database>(query: SelectQueryBuilder<Database, T, object>) =>
    countUpTo(tx, query, most + 1);
  const of = (table: Table) => tx.selectFrom(table).where('tenantId' as never, '=', tenantId as never);
  const unpaid = tx.selectFrom('invoices').where('tenantId', '=', tenantId).where('paidAt', 'is', null);
  return {
    members: await count(
      tx.selectFrom('members').where('tenantId', '=', tenantId).where('erasedAt', 'is', null),
    ),
    clients: await count(
      tx.selectFrom('clients').where('tenantId', '=', tenantId).where('origin', '=', 'operator'),
    ),
    apis: await count(of('apis')),
    packages: await count(of('packages')),
    products: await count(of('products')),
    channels: await count(of('contentChannels')),
    consents: await count(of('consents')),
    properties: await count(of('customProperties')),
    checkouts: await count(of('checkouts')),
    invoices: await count(of('invoices')),
    unpaidInvoices: await count(unpaid),
    overdueInvoices: await count(unpaid.where('dueAt', '<=', now)),
    tokens: await count(of('adminTokens')),
  };
}

/** How many rows a query finds, if they are no more than so many. */
async function countUpTo<T extends keyof Database>(
  tx: Tx,
  query: SelectQueryBuilder<Database, T, object>,
  most: number,
): Promise<number> {
  const some = query.select(sql<number>`1`.as('one')).limit(most);
  const { count } = await tx
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
