// Queries of content channels.
import type { ContentChannel } from '../../core/access/content-channel.ts';
import { type ListPage, within } from '../list-page.ts';
import type { Tx } from '../store.ts';

/** Every content channel of a tenant, with the products that open it, by id. */
export async function listContentChannels(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly ContentChannel[]> {
  const all = tx.selectFrom('contentChannels').selectAll().where('tenantId', '=', tenantId).orderBy('id');
  const rows = await within(all, 'id', page).execute();
  let linked = tx
    .selectFrom('channelProducts')
    .select(['channelId', 'productId'])
    .where('tenantId', '=', tenantId)
    .orderBy('channelId')
    .orderBy('productId');
  // A page has the links of its own channels.
  if (page.limit !== undefined && rows.length > 0) {
    linked = linked.where(
      'channelId',
      'in',
      rows.map(({ id }) => id),
    );
  }
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
  await deleteLinks(tx, tenantId, id);
  for (const productId of new Set(productIds)) {
    await tx.insertInto('channelProducts').values({ tenantId, channelId: id, productId }).execute();
  }
}

/** Returns whether the tenant had the channel. */
export async function deleteContentChannel(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  await deleteLinks(tx, tenantId, id);
  const result = await tx
    .deleteFrom('contentChannels')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

async function deleteLinks(tx: Tx, tenantId: string, channelId: string): Promise<void> {
  await tx
    .deleteFrom('channelProducts')
    .where('tenantId', '=', tenantId)
    .where('channelId', '=', channelId)
    .execute();
}
