// Queries of the custom properties of subscriptions.
import type { CustomProperty } from '../../core/access/custom-property.ts';
import { type ListPage, within } from '../list-page.ts';
import type { Tx } from '../store.ts';

export async function listCustomProperties(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly CustomProperty[]> {
  const all = tx
    .selectFrom('customProperties')
    .select(['key', 'type'])
    .where('tenantId', '=', tenantId)
    .orderBy('key');
  return within(all, 'key', page).execute();
}

export async function insertCustomProperty(
  tx: Tx,
  tenantId: string,
  { key, type }: CustomProperty,
): Promise<void> {
  await tx.insertInto('customProperties').values({ tenantId, key, type }).execute();
}
