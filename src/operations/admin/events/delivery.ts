// How operations answer what a webhook was told.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { eventTypes } from '../../../core/events/event.ts';
import { isWaiting } from '../../../core/events/webhook.ts';
import type { AttemptRow } from '../../../storage/events/webhook-attempt.ts';
import type { DeliveryRow } from '../../../storage/events/webhook-delivery.ts';
import * as s from '../../json-schema.ts';
import type { OnTenant } from '../define.ts';
import { memberNameFields, withMemberNames } from '../names.ts';
import type { OperationContext } from '../operation.ts';

export const deliveryIdField = s.wholeNumber('The id of the delivery', 17);

export const deliverySchema = s.resource('WebhookDelivery', 'What a webhook was told, or is to be told', {
  id: deliveryIdField,
  type: s.oneOf('DeliveredType', 'What it tells of', [...eventTypes, 'webhook.test']),
  eventId: s.text(
    'The id of the event: the webhook-id of the message',
    '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a11',
  ),
  memberId: s.textOrNull('The member that it is about', null),
  ...memberNameFields,
  state: s.oneOf(
    'DeliveryState',
    'Whether it was taken. What is held waits for an earlier one of the same member, or for the webhook to be turned on',
    ['held', 'waiting', 'delivered', 'failed'],
  ),
  attempts: s.wholeNumber('How often it was sent', 1),
  lastResult: s.textOrNull(
    'What came of it last: the status of the answer, or why there was none',
    'status 200',
  ),
  answer: s.textOrNull('How that answer began', 'ok'),
  lastAt: s.timeOrNull('When it was sent last', null),
  nextAttemptAt: s.timeOrNull('When it is sent next; null where it is not', null),
  createdAt: s.time('When it was put into the queue'),
});

export const attemptSchema = s.resource('WebhookAttempt', 'One time that a webhook was told of something', {
  at: s.time('When it was sent'),
  result: s.text('The status of the answer, or why there was none', 'status 200'),
  took: s.wholeNumber('How long it took (ms)', 87),
  answer: s.textOrNull('How the answer began', 'ok'),
});

export const attemptAnswer = (row: AttemptRow) => s.pick(attemptSchema, { ...row, at: isoTime(row.at) });

/** Deliveries, each with what its member is called. */
export async function deliveryAnswers(rows: readonly DeliveryRow[], context: OnTenant<OperationContext>) {
  const named = await withMemberNames(rows, context);
  return named.map((row) =>
    s.pick(deliverySchema, {
      ...row,
      createdAt: isoTime(row.createdAt),
      lastAt: isoTimeOrNull(row.lastAt),
      nextAttemptAt: isWaiting(row) ? isoTime(row.nextAttemptAt) : null,
    }),
  );
}
