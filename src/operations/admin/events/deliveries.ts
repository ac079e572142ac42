// The operations that show what a webhook was told, and send it again.
import { webhook as limits } from '../../../core/events/limits.ts';
import { listAttempts } from '../../../storage/events/webhook-attempt.ts';
import { findDelivery, listDeliveries } from '../../../storage/events/webhook-delivery.ts';
import { findEndpoint } from '../../../storage/events/webhook-endpoint.ts';
import { sendExtra } from '../../events/endpoint.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { limitField, nextNumber, pageOf } from '../list.ts';
import type { Operation } from '../operation.ts';
import {
  attemptAnswer,
  attemptSchema,
  deliveryAnswers,
  deliveryIdField,
  deliverySchema,
} from './delivery.ts';
import { webhookIdField } from './webhooks.ts';

const listed = onTenant({
  name: 'webhookDeliveries.list',
  summary: 'List what a webhook was told, or is to be told, the newest first',
  portal: {
    list: {
      title: 'Deliveries',
      lead: 'What the webhook was told, or is to be told, the newest first, with how its last answer began. They are kept for 30 days.',
      columns: [
        'createdAt',
        'type',
        'memberId',
        'state',
        'attempts',
        'lastResult',
        'answer',
        'nextAttemptAt',
      ],
      entry: { field: 'deliveryId', key: 'id' },
      opens: 'webhookDeliveries.read',
    },
  },
  permission: 'events:read',
  route: 'GET /webhooks/{webhookId}/deliveries',
  fields: { webhookId: webhookIdField },
  optional: { before: s.wholeNumber('The id of the last entry of the page before', 17), limit: limitField },
  output: s.exactly('A page of deliveries', {
    webhookDeliveries: s.list('Deliveries', deliverySchema),
    next: nextNumber(17),
  }),
  run: async (context, { webhookId, before, limit }) => {
    const { tx, tenant } = context;
    if ((await findEndpoint(tx, tenant.id, webhookId)) === null) throw unknown('webhook');
    const { page, last } = pageOf(await listDeliveries(tx, webhookId, { before, limit: limit + 1 }), limit);
    return { webhookDeliveries: await deliveryAnswers(page, context), next: last?.id ?? null };
  },
});

const read = onTenant({
  name: 'webhookDeliveries.read',
  summary: 'Show what a webhook was told, and each time that it was sent',
  portal: { headed: 'type', parts: { history: { columns: ['at', 'result', 'took', 'answer'] } } },
  permission: 'events:read',
  route: 'GET /webhooks/{webhookId}/deliveries/{deliveryId}',
  fields: { webhookId: webhookIdField, deliveryId: deliveryIdField },
  output: s.extended(deliverySchema, 'WebhookDeliveryDetails', 'What a webhook was told', {
    webhookName: s.text('The name of the webhook', 'CRM'),
    payload: s.text('What was sent', '{"type":"member.created"}'),
    history: s.list(`The last ${limits.attempts} times that it was sent, newest first`, attemptSchema),
  }),
  run: async (context, { webhookId, deliveryId }) => {
    const { tx, tenant } = context;
    const endpoint = await findEndpoint(tx, tenant.id, webhookId);
    const delivery = endpoint === null ? null : await findDelivery(tx, webhookId, deliveryId);
    if (endpoint === null || delivery === null) throw unknown('delivery');
    const [answer] = await deliveryAnswers([delivery], context);
    const made = await listAttempts(tx, { endpointId: webhookId, deliveryId });
    const { payload } = delivery;
    return { ...answer, webhookName: endpoint.name, payload, history: made.map(attemptAnswer) };
  },
});

const sentAgain = onTenant({
  name: 'webhookDeliveries.sendAgain',
  summary: 'Send what a webhook was told again, once, with the same id',
  portal: {
    page: 'webhookDeliveries.read',
    reads: 'webhookDeliveries.read',
    // What is sent again is a delivery of its own: the first of the list.
    lands: 'webhookDeliveries.list',
    done: 'Sent again. The new delivery stands first.',
    atOnce: true,
  },
  permission: 'events:write',
  route: 'POST /webhooks/{webhookId}/deliveries/{deliveryId}/send-again',
  fields: { webhookId: webhookIdField, deliveryId: deliveryIdField },
  output: s.exactly('What is sent again', {
    webhookId: webhookIdField,
    deliveryId: s.wholeNumber('The id of the new delivery', 18),
  }),
  run: async ({ tx, tenant, random, now }, { webhookId, deliveryId }) => {
    const made = await sendExtra(tx, tenant.id, webhookId, deliveryId, { random, now });
    if (made === null) throw unknown('delivery');
    return { webhookId, deliveryId: made };
  },
});

export const webhookDeliveryOperations: readonly Operation[] = [listed, read, sentAgain];
