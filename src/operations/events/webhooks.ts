// Tells endpoints of events, after the commits of them (Standard Webhooks).
import { webhook as limits } from '../../core/events/limits.ts';
import {
  type DeliveryRow,
  listDueDeliveries,
  moveTakenDeliveries,
  nextDeliveryDueAt,
  postponeDeliveries,
  takeDueDeliveries,
} from '../../storage/events/webhook-delivery.ts';
import { createDelivery, type Delivery, type DeliveryDeps } from '../delivery/delivery.ts';
import type { Queue } from '../delivery/taking.ts';
import { createSending, type SendDeps } from './send-delivery.ts';
import { spreadEvents } from './spread.ts';

export interface WebhooksDeps extends DeliveryDeps, SendDeps {}

const queue: Queue<DeliveryRow> = {
  list: listDueDeliveries,
  take: takeDueDeliveries,
  move: moveTakenDeliveries,
  nextDueAt: nextDeliveryDueAt,
  batch: limits.batch,
};

/**
 * Makes what tells the endpoints of a service. Each event is sent until it is taken, at least once, those of a member in
 * their order: one that is not taken holds back the others of its member alone, and an endpoint that cannot be reached
 * holds back itself. After three days it is off, and its tenant's administrators are told.
 */
export function createWebhooks(deps: WebhooksDeps): Delivery {
  const { store, clock, log } = deps;
  const sending = createSending(deps);

  return createDelivery(deps, {
    queue,
    markSent: async () => {
      await sending.markSent();
      await spreadEvents(store, clock, () => false);
    },
    send: async (due, mayGoOn) => {
      const byEndpoint = Object.values(Object.groupBy(due, ({ endpointId }) => endpointId));
      const untried = await Promise.all(byEndpoint.map((waiting = []) => sendBeside(waiting, mayGoOn)));
      // What was delivered lets others go, and there may be new ones by then.
      await spreadEvents(store, clock, () => !mayGoOn());
      return { untried: untried.flat(), isReachable: true };
    },
    pause: limits.firstWait,
    look: limits.look,
    failed: (error) => log().warn({ err: error }, 'the webhooks that wait cannot be read or marked'),
  });

  /** Sends those of one endpoint, each of another member: a few at a time. @returns what was not tried */
  async function sendBeside(due: readonly DeliveryRow[], mayGoOn: () => boolean) {
    const waiting = [...due];
    let waitUntil: number | null = null;
    const lane = async () => {
      while (waiting.length > 0 && waitUntil === null && mayGoOn()) {
        const until = await sending.send(waiting.shift() as DeliveryRow);
        if (until !== null) waitUntil = Math.max(waitUntil ?? 0, until);
      }
    };
    await Promise.all(Array.from({ length: limits.beside }, lane));
    if (waitUntil === null) return waiting;
    const [first] = waiting;
    if (first === undefined) return [];
    const move = { ids: waiting.map(({ id }) => id), from: clock(), to: waitUntil };
    await store.transaction((tx) => postponeDeliveries(tx, first.endpointId, move));
    return [];
  }
}
