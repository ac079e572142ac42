// Queries of the attempts to tell endpoints of something: one row for each.
import { webhook as limits } from '../../core/events/limits.ts';
import { insertion } from '../prepared.ts';
import { type RowOf, rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';
import { findDelivery } from './webhook-delivery.ts';

export type AttemptRow = RowOf<'webhookAttempts'>;
export type MadeAttempt = Omit<AttemptRow, 'id'>;

const ofDelivery = (tx: Tx, { endpointId, deliveryId }: Pick<AttemptRow, 'endpointId' | 'deliveryId'>) =>
  rowsWith(tx, 'webhookAttempts', { endpointId, deliveryId });

/** Keeps one; none of what was deleted meanwhile. */
export async function insertAttempt(tx: Tx, attempt: MadeAttempt): Promise<void> {
  const { endpointId, deliveryId } = attempt;
  if ((await findDelivery(tx, endpointId, deliveryId)) !== null) await insertRow(tx, attempt);
}

const insertRow = insertion('webhookAttempts');

/** Keeps the newest attempts of a delivery alone. */
export async function forgetOldAttempts(
  tx: Tx,
  { endpointId, deliveryId }: Pick<AttemptRow, 'endpointId' | 'deliveryId'>,
): Promise<void> {
  const all = ofDelivery(tx, { endpointId, deliveryId }).clearSelect().select('id');
  const tooMany = all.orderBy('id', 'desc').offset(limits.attempts).limit(1);
  const last = await tooMany.executeTakeFirst();
  if (last === undefined) return;
  await tx
    .deleteFrom('webhookAttempts')
    .where('endpointId', '=', endpointId)
    .where('deliveryId', '=', deliveryId)
    .where('id', '<=', last.id)
    .execute();
}

/** Those of a delivery, the newest first. */
export async function listAttempts(
  tx: Tx,
  of: Pick<AttemptRow, 'endpointId' | 'deliveryId'>,
): Promise<readonly AttemptRow[]> {
  return ofDelivery(tx, of).orderBy('id', 'desc').limit(limits.attempts).execute();
}
