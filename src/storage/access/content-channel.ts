// Queries of content channels.
import type { ContentChannel } from '../../core/access/content-channel.ts';
import { deleteRows, type ListPage, rowsWith, within } from '../rows.ts';
import type { Tx } from '../store.ts';

/** Every content channel of a tenant, with the products that open it, by id. */
export async function listContentChannels(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly ContentChannel[]> {
  const rows = await within(rowsWith(tx, 'contentChannels', { tenantId }), 'id', page).execute();
  const ids = rows.map(({ id }) => id);
  let linked = rowsWith(tx, 'channelProducts', { tenantId }).orderBy('channelId').orderBy('productId');
  // A page has the links of its own channels.
  if (page.limit !== undefined) linked = linked.where('channelId', 'in', ids);
  const links = rows.length === 0 ? [] : await linked.execute();
  return rows.map((row) => ({
    ...row,
    productIds: links.filter(({ channelId }) => channelId === row.id).map(({ productId }) => productId),
  }));
}

/** Stores a channel, or changes the one of that id. */
export async function saveContentChannel(tx: Tx, channel: ContentChannel): Promise<void> {
  const { tenantId, id, name, description, productIds } = channel;
  await tx
    .insertInto('contentChannels')
    .values({ tenantId, id, name, description })
    .onConflict((conflict) => conflict.columns(['tenantId', 'id']).doUpdateSet({ name, description }))
    .execute();
  await deleteRows(tx, 'channelProducts', { tenantId, channelId: id });
  for (const productId of new Set(productIds)) {
    await tx.insertInto('channelProducts').values({ tenantId, channelId: id, productId }).execute();
  }
}

/** Returns whether the tenant had the channel. */
export async function deleteContentChannel(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  await deleteRows(tx, 'channelProducts', { tenantId, channelId: id });
  return (await deleteRows(tx, 'contentChannels', { tenantId, id })) === 1;
}
