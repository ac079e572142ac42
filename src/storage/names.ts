// What ids are called: looked up for a whole page of a list at once.
import type { Tx } from './store.ts';

/** A member as a list names one beside the id. */
export interface NamedMember {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
}

/** The members of a tenant by their ids; those who were erased have no name any more. */
export async function nameMembers(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly NamedMember[]> {
  if (ids.length === 0) return [];
  const found = await tx
    .selectFrom('members')
    .select(['id', 'fullName', 'email', 'erasedAt'])
    .where('id', 'in', ids)
    .where('tenantId', '=', tenantId)
    .execute();
  // With that condition SQLite would look through all members of the tenant who are not erased.
  return found.flatMap(({ erasedAt, ...member }) => (erasedAt === null ? [member] : []));
}

/** The names of the clients of a tenant by their client_ids. */
export async function nameClients(tx: Tx, tenantId: string, clientIds: readonly string[]) {
  if (clientIds.length === 0) return [];
  return await tx
    .selectFrom('clients')
    .select(['clientId as id', 'name'])
    .where('tenantId', '=', tenantId)
    .where('clientId', 'in', clientIds)
    .execute();
}

/** The names of the packages of a tenant by their ids. */
export async function namePackages(tx: Tx, tenantId: string, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return await tx
    .selectFrom('packages')
    .select(['id', 'name'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', ids)
    .execute();
}
