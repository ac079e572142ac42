import type { CustomProperty } from '../../core/access/custom-property.ts';
import type { Tx } from '../store.ts';

export async function listCustomProperties(tx: Tx, tenantId: string): Promise<readonly CustomProperty[]> {
  return tx
    .selectFrom('customProperties')
    .select(['key', 'type'])
    .where('tenantId', '=', tenantId)
    .orderBy('key')
    .execute();
}

export async function insertCustomProperty(
  tx: Tx,
  tenantId: string,
  { key, type }: CustomProperty,
): Promise<void> {
  await tx.insertInto('customProperties').values({ tenantId, key, type }).execute();
}
