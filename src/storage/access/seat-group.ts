// Queries of subscriptions with seats: how many they have, and at which domains and from which networks they may be taken.
import type { SeatGroup } from '../../core/access/seats/seat.ts';
import { forgetRemembered, remembered } from '../prepared.ts';
import { deleteRows, findRow, type ListPage, rowsWith, updateRows, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { SeatGroupRow } from './schema.ts';

/** Whether a tenant has subscriptions with seats: remembered, so that members of others wait for no query. */
export async function hasSeatGroups(tx: Tx, tenantId: string): Promise<boolean> {
  const found = await remembered(tx, `seats ${tenantId}`, async () => {
    const rows = await rowsWith(tx, 'seatGroups', { tenantId }).limit(1).execute();
    return { isSo: rows.length > 0 };
  });
  return found?.isSo ?? false;
}

/** The seats of a subscription of a tenant; null if it has none. */
export async function findSeatGroup(
  tx: Tx,
  tenantId: string,
  subscriptionId: number,
): Promise<SeatGroup | null> {
  const row = await findRow(tx, 'seatGroups', { subscriptionId, tenantId });
  return row === null ? null : openTo(tx, row);
}

/** The subscriptions with seats of a tenant, by their numbers. */
export async function listSeatGroups(
  tx: Tx,
  tenantId: string,
  page: ListPage<number>,
): Promise<readonly SeatGroup[]> {
  const rows = await within(rowsWith(tx, 'seatGroups', { tenantId }), 'subscriptionId', page).execute();
  const found: SeatGroup[] = [];
  for (const row of rows) found.push(await openTo(tx, row));
  return found;
}

async function openTo(tx: Tx, row: SeatGroupRow): Promise<SeatGroup> {
  const { subscriptionId } = row;
  const domains = await rowsWith(tx, 'seatDomains', { subscriptionId }).orderBy('domain').execute();
  const networks = await rowsWith(tx, 'seatNetworks', { subscriptionId }).orderBy('network').execute();
  return {
    ...row,
    domains: domains.map(({ domain }) => domain),
    networks: networks.map(({ network }) => network),
  };
}

/** Those of the subscriptions of a tenant that have seats. */
export async function withSeats(
  tx: Tx,
  tenantId: string,
  subscriptionIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (subscriptionIds.length === 0 || !(await hasSeatGroups(tx, tenantId))) return new Set();
  const rows = await tx
    .selectFrom('seatGroups')
    .select('subscriptionId')
    .where('subscriptionId', 'in', subscriptionIds)
    .execute();
  return new Set(rows.map(({ subscriptionId }) => subscriptionId));
}

/** The subscriptions whose seats those of a domain may take, the newest first. */
export async function listSeatGroupsOfDomain(
  tx: Tx,
  tenantId: string,
  domain: string,
  limit: number,
): Promise<readonly number[]> {
  const rows = rowsWith(tx, 'seatDomains', { tenantId, domain }).orderBy('subscriptionId', 'desc');
  return (await rows.limit(limit).execute()).map(({ subscriptionId }) => subscriptionId);
}

/** The subscriptions whose seats those from one of these networks may take, the newest first. */
export async function listSeatGroupsOfNetworks(
  tx: Tx,
  tenantId: string,
  networks: readonly string[],
  limit: number,
): Promise<readonly number[]> {
  if (networks.length === 0) return [];
  const rows = tx.selectFrom('seatNetworks').select('subscriptionId').distinct();
  const found = await rows
    .where('tenantId', '=', tenantId)
    .where('network', 'in', networks)
    .orderBy('subscriptionId', 'desc')
    .limit(limit)
    .execute();
  return found.map(({ subscriptionId }) => subscriptionId);
}

/** Says how many seats a subscription has; it may have had none. */
export async function saveSeatNumber(
  tx: Tx,
  tenantId: string,
  subscriptionId: number,
  seats: number,
): Promise<void> {
  if (!(await hasSeatGroups(tx, tenantId))) await forgetRemembered(tx);
  if ((await updateRows(tx, 'seatGroups', { subscriptionId, tenantId }, { seats })) === 1) return;
  await tx.insertInto('seatGroups').values({ subscriptionId, tenantId, seats }).execute();
}

/** Says at which domains the seats of a subscription may be taken, all of them. */
export async function saveSeatDomains(
  tx: Tx,
  { tenantId, subscriptionId }: Pick<SeatGroup, 'tenantId' | 'subscriptionId'>,
  domains: readonly string[],
): Promise<void> {
  await deleteRows(tx, 'seatDomains', { subscriptionId });
  for (const domain of new Set(domains)) {
    await tx.insertInto('seatDomains').values({ tenantId, subscriptionId, domain }).execute();
  }
}

/** Says from which networks the seats of a subscription may be taken, all of them. */
export async function saveSeatNetworks(
  tx: Tx,
  { tenantId, subscriptionId }: Pick<SeatGroup, 'tenantId' | 'subscriptionId'>,
  networks: readonly string[],
): Promise<void> {
  await deleteRows(tx, 'seatNetworks', { subscriptionId });
  for (const network of new Set(networks)) {
    await tx.insertInto('seatNetworks').values({ tenantId, subscriptionId, network }).execute();
  }
}
