// The rows of events, and of the endpoints that are told of them.
import type { Generated } from 'kysely';
import type { EventType, ToldEvent } from '../../core/events/event.ts';
import type { DeliveryKind, WebhookEndpoint } from '../../core/events/webhook.ts';

/** An event as it is written with its change, and numbered a moment later. The changed fields are a JSON list. */
export interface EventRow extends Omit<ToldEvent, 'number' | 'id' | 'changed'> {
  /** In the order of writing, whatever is committed first. */
  seq: Generated<number>;
  /** Null until it is numbered: only then it is told. */
  number: number | null;
  /** UUIDv7; null until it is numbered. */
  id: string | null;
  changed: string | null;
}

/** The types are a JSON list; the secrets are sealed. */
export interface WebhookEndpointRow extends Omit<WebhookEndpoint, 'types'> {
  types: string | null;
  /** Null where its master key was lost. */
  secret: Buffer | null;
  previousSecret: Buffer | null;
}

/** What an endpoint is told. The payload is what is sent, to the byte; it names ids alone. */
export interface WebhookDeliveryRow {
  id: Generated<number>;
  tenantId: string;
  endpointId: string;
  kind: DeliveryKind;
  eventId: string;
  type: EventType | 'webhook.test';
  memberId: string | null;
  payload: string;
  /** `held` behind an earlier one of the same member, or since its endpoint is off. */
  state: 'held' | 'waiting' | 'delivered' | 'failed';
  attempts: number;
  nextAttemptAt: number;
  createdAt: number;
  /** When it was tried first, since its endpoint was last turned on. */
  firstAt: number | null;
  lastAt: number | null;
  /** The status of the last answer, or why there was none. */
  lastResult: string | null;
  /** How the last answer began. */
  answer: string | null;
}

/** One attempt to tell an endpoint of something. */
export interface WebhookAttemptRow {
  id: Generated<number>;
  endpointId: string;
  deliveryId: number;
  at: number;
  /** How long it took (ms). */
  took: number;
  /** The status of the answer, or why there was none. */
  result: string;
  /** How the answer began. */
  answer: string | null;
}
