// Makes what endpoints are told of events, in the order of their numbers.
import { eventPayload, type ToldEvent } from '../../core/events/event.ts';
import { webhook as limits } from '../../core/events/limits.ts';
import type { WebhookEndpoint } from '../../core/events/webhook.ts';
import { listEvents } from '../../storage/events/event.ts';
import { countUndelivered, insertDelivery } from '../../storage/events/webhook-delivery.ts';
import { findEndpoint, listBehind, moveEndpoint } from '../../storage/events/webhook-endpoint.ts';
import type { Store, Tx } from '../../storage/store.ts';

/**
 * Goes on for each endpoint from the event where it was, as long as not too much waits for it: whatever fails for however
 * long, what waits is bounded, and nothing is passed over.
 */
export async function spreadEvents(store: Store, now: () => number, isOver: () => boolean): Promise<void> {
  let behind: readonly Behind[] = await store.lookUp(listBehind);
  while (behind.length > 0 && !isOver()) {
    const left = behind;
    behind = await store.transaction((tx) => spreadSome(tx, left, now()));
  }
}

type Behind = Pick<WebhookEndpoint, 'id' | 'tenantId'>;

/** Goes on for as many endpoints as a transaction has time for. @returns those for which there may be more */
async function spreadSome(tx: Tx, behind: readonly Behind[], now: number): Promise<readonly Behind[]> {
  const left = [...behind];
  let looked = 0;
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const count = await spread(tx, one, now);
    looked += count;
    if (count === limits.spread) left.unshift(one);
    if (looked >= limits.spread) break;
  }
  return left;
}

/** @returns at how many events it looked */
async function spread(tx: Tx, { tenantId, id }: Behind, now: number): Promise<number> {
  const endpoint = await findEndpoint(tx, tenantId, id);
  if (endpoint === null || endpoint.disabledAt !== null) return 0;
  if ((await countUndelivered(tx, id, limits.window)) >= limits.window) return 0;
  const events = await listEvents(tx, tenantId, endpoint.position, limits.spread);
  const last = events.at(-1);
  if (last === undefined) return 0;
  for (const event of events.filter((one) => isWanted(endpoint, one))) {
    await insertDelivery(tx, { ...deliveryOf(event, id), kind: 'event', createdAt: now });
  }
  await moveEndpoint(tx, endpoint, last.number);
  return events.length;
}

const isWanted = ({ types }: WebhookEndpoint, { type }: ToldEvent) => types?.includes(type) ?? true;

function deliveryOf(event: ToldEvent, endpointId: string) {
  const { tenantId, id: eventId, type, memberId } = event;
  return { tenantId, endpointId, eventId, type, memberId, payload: JSON.stringify(eventPayload(event)) };
}
