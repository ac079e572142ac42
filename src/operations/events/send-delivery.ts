// Sends one delivery to its webhook, and keeps what came of it.
import { webhook as limits } from '../../core/events/limits.ts';
import { redeliverAt, type Sent } from '../../core/events/webhook.ts';
import type { Log } from '../../log/log.ts';
import { forgetOldAttempts, insertAttempt, type MadeAttempt } from '../../storage/events/webhook-attempt.ts';
import {
  type Attempt,
  type DeliveryRow,
  deliveryFailed,
  deliveryOver,
  postponeDelivery,
} from '../../storage/events/webhook-delivery.ts';
import type { Store } from '../../storage/store.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OpenTenant, Tenants } from '../tenant/open-tenants.ts';
import { disableFailing } from './endpoint.ts';
import { createMarking, type Marking } from './marking.ts';
import { createPost, type Post, type PostDeps } from './post.ts';
import { recipientOf } from './recipient.ts';

export interface SendDeps extends PostDeps {
  readonly store: Store;
  readonly tenants: Tenants;
  readonly mails: Pick<Mailer, 'queue'>;
  /** Is told of each attempt. @param tenant its host */
  readonly counted: (tenant: string, outcome: Sent) => void;
  /** Asked for at each line, since the log begins with the app. */
  readonly log: () => Pick<Log, 'warn'>;
}

/** Makes what sends deliveries, one by one. */
export function createSending(deps: SendDeps) {
  const post = createPost(deps);
  const marking = createMarking(deps.store);
  return {
    /** @returns until when (ms) others of the endpoint wait; null where they need not */
    send: (delivery: DeliveryRow) => sendDelivery(delivery, { ...deps, post, marking }),
    /** Marks what was delivered and could not be marked before. */
    markSent: marking.markAll,
  };
}

/** One attempt: what the delivery says of it, and its own row. */
interface Made {
  readonly attempt: Attempt;
  readonly row: MadeAttempt;
}

async function sendDelivery(
  delivery: DeliveryRow,
  deps: SendDeps & { readonly post: Post; readonly marking: Marking },
): Promise<number | null> {
  const { store, clock, marking } = deps;
  const to = await store.lookUp((tx) => recipientOf(tx, delivery, deps));
  if (to === null) return null;
  const begun = clock();
  const { sent, result, answer } = await deps.post(to, delivery);
  const now = clock();
  const { id, endpointId, attempts, firstAt } = delivery;
  if (sent === 'busy') {
    const until = now + limits.busyWait;
    await store.transaction((tx) => postponeDelivery(tx, id, until));
    return until;
  }
  deps.counted(to.tenant.host, sent);
  const attempt = {
    attempts: attempts + 1,
    firstAt: firstAt ?? now,
    lastAt: now,
    lastResult: result,
    answer,
  };
  const row = { endpointId, deliveryId: id, at: begun, took: now - begun, result, answer };
  if (sent !== 'delivered') return keepFailure(to.tenant, delivery, { attempt, row }, sent, deps);
  await marking.mark(id, async (tx) => {
    await insertAttempt(tx, row);
    await deliveryOver(tx, delivery, { ...attempt, state: 'delivered' }, now);
  });
  return null;
}

/** @returns until when (ms) others of the endpoint wait; null where they need not */
async function keepFailure(
  tenant: OpenTenant,
  delivery: DeliveryRow,
  { attempt, row }: Made,
  sent: Exclude<Sent, 'delivered'>,
  deps: SendDeps,
): Promise<number | null> {
  const { store, clock, log } = deps;
  const now = clock();
  const { id, endpointId, tenantId, kind } = delivery;
  const isEvent = kind === 'event';
  const retryAt = isEvent ? redeliverAt({ ...attempt, firstAt: attempt.firstAt ?? now }, now) : now;
  const isOver = sent === 'gone' || retryAt === null;
  const reason = sent === 'gone' ? 'it answered that it is gone (410)' : 'nothing was taken for three days';
  await store.transaction(async (tx) => {
    await insertAttempt(tx, row);
    await forgetOldAttempts(tx, row);
    if (isEvent) await deliveryFailed(tx, delivery, attempt, isOver ? now : retryAt);
    else await deliveryOver(tx, delivery, { ...attempt, state: 'failed' }, now);
    if (isOver) await disableFailing(tx, tenant, endpointId, { reason, last: attempt }, deps);
  });
  if (isOver) log().warn({ tenantId, endpoint: endpointId, reason }, 'a webhook was turned off');
  if (isOver || !isEvent) return null;
  if (attempt.attempts === 1) {
    const facts = { tenantId, endpoint: endpointId, delivery: id, result: attempt.lastResult };
    log().warn(facts, 'a webhook was not taken, and waits');
  }
  // A refusal of one delivery says nothing of those of other members.
  return sent === 'unreachable' ? retryAt : null;
}
