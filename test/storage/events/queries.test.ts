import { expect, it } from 'vitest';
import { listEvents, numberEvents } from '../../../src/storage/events/event.ts';
import { insertAttempt } from '../../../src/storage/events/webhook-attempt.ts';
import {
  countUndelivered,
  type DeliveryRow,
  deliveryOver,
  insertDelivery,
  listDueDeliveries,
  nextDeliveryDueAt,
} from '../../../src/storage/events/webhook-delivery.ts';
import { findEndpoint, insertEndpoint, moveEndpoint } from '../../../src/storage/events/webhook-endpoint.ts';
import type { Tx } from '../../../src/storage/store.ts';
import { planOf } from '../../support/queries/query-plan.ts';
import { memberRecord, now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const { id: memberId, tenantId } = memberRecord();
const endpointId = 'endpoint';

async function due(tx: Tx): Promise<DeliveryRow> {
  const [first] = await listDueDeliveries(tx, now, 1);
  if (first === undefined) throw new Error('nothing is due');
  return first;
}

it('decision 49: what an endpoint was told long ago is not looked at when it is told more', async () => {
  const store = await storeWithMember();
  await store.transaction(async (tx) => {
    const off = { disabledAt: null, disabledReason: null, previousUntil: null, types: null };
    const url = 'https://crm.example/';
    const endpoint = { ...off, id: endpointId, tenantId, name: 'CRM', url, createdAt: now, position: 0 };
    await insertEndpoint(tx, endpoint, Buffer.from('sealed'));
    const told = {
      tenantId,
      endpointId,
      memberId,
      kind: 'event',
      type: 'member.deleted',
      payload: '{}',
    } as const;
    for (const eventId of ['first', 'second']) await insertDelivery(tx, { ...told, eventId, createdAt: now });
    const first = await due(tx);
    const attempt = { attempts: 1, firstAt: now, lastAt: now, lastResult: 'status 204', answer: '' };
    const made = { endpointId, deliveryId: first.id, at: now, took: 1, result: 'status 204', answer: '' };
    const plan = await planOf(tx, async (listening) => {
      await numberEvents(listening, 10, () => 'id');
      await findEndpoint(listening, tenantId, endpointId);
      await countUndelivered(listening, endpointId, 10);
      await listEvents(listening, tenantId, 0, 10);
      await insertDelivery(listening, { ...told, eventId: 'third', createdAt: now });
      await moveEndpoint(listening, endpoint, 3);
      await listDueDeliveries(listening, now, 10);
      await insertAttempt(listening, made);
      await deliveryOver(listening, first, { ...attempt, state: 'delivered' }, now);
      await nextDeliveryDueAt(listening);
    });
    expect(
      plan.filter((line) =>
        /webhookDeliveriesByEndpoint|^SCAN (?!some|events USING INDEX eventsWithoutNumber)|TEMP B-TREE/.test(
          line,
        ),
      ),
    ).toEqual([]);
    expect(plan.filter((line) => line.includes('webhookDeliveriesInOrder'))).toHaveLength(3);
    expect(await due(tx)).toMatchObject({ eventId: 'second', state: 'waiting' });
  });
});
