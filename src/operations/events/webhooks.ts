// Tells endpoints of events, after the commits of them (Standard Webhooks).
import { webhook as limits } from '../../core/events/limits.ts';
import { redeliverAt, type Sent, sentBy } from '../../core/events/webhook.ts';
import type { Log } from '../../log/log.ts';
import type { Vault } from '../../secrets/vault.ts';
import { forgetOldAttempts, insertAttempt, type MadeAttempt } from '../../storage/events/webhook-attempt.ts';
import {
  type Attempt,
  type DeliveryRow,
  deliveryFailed,
  deliveryOver,
  holdDeliveries,
  listDueDeliveries,
  moveTakenDeliveries,
  nextDeliveryDueAt,
  postponeDeliveries,
  takeDueDeliveries,
} from '../../storage/events/webhook-delivery.ts';
import { findEndpoint } from '../../storage/events/webhook-endpoint.ts';
import type { Tx } from '../../storage/store.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';
import { createDelivery, type Delivery, type DeliveryDeps } from '../delivery/delivery.ts';
import type { Queue } from '../delivery/taking.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OpenTenant, Tenants } from '../tenant/open-tenants.ts';
import { disableFailing } from './endpoint.ts';
import { signedCall } from './signed-call.ts';
import { spreadEvents } from './spread.ts';

export interface WebhooksDeps extends DeliveryDeps {
  readonly tenants: Tenants;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly outbound: Outbound;
  readonly mails: Pick<Mailer, 'queue'>;
  /** Is told of each attempt. @param tenant its host */
  readonly counted: (tenant: string, outcome: Sent) => void;
  /** Asked for at each line, since the log begins with the app. */
  readonly log: () => Pick<Log, 'warn'>;
}

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
  /** Delivered, but not marked yet: where storage is in trouble they are marked later, and not sent again. */
  const unmarked = new Map<number, (tx: Tx) => Promise<void>>();
  /** Secrets in clear, by what they are sealed as. */
  const opened = new Map<string, string>();
  let marking: Promise<void> = Promise.resolve();

  const markAll = async () => {
    const all = [...unmarked];
    if (all.length === 0) return;
    await store.transaction(async (tx) => {
      for (const [, mark] of all) await mark(tx);
    });
    for (const [id] of all) unmarked.delete(id);
  };
  /** Those that were delivered while others are marked are marked together. */
  const markSent = () => {
    marking = marking.catch(() => {}).then(markAll);
    return marking;
  };

  return createDelivery(deps, {
    queue,
    markSent: async () => {
      await markSent();
      await spreadEvents(store, clock, () => false);
    },
    send: async (due, mayGoOn) => {
      const byEndpoint = Object.values(Object.groupBy(due, ({ endpointId }) => endpointId));
      const untried = await Promise.all(byEndpoint.map((told = []) => sendBeside(told, mayGoOn)));
      // What was delivered lets others go, of which there may be new ones by then.
      await spreadEvents(store, clock, () => !mayGoOn());
      return { untried: untried.flat(), isReachable: true };
    },
    pause: limits.firstWait,
    look: limits.look,
    failed: (error) => log().warn({ err: error }, 'the webhooks that wait cannot be read or marked'),
  });

  /** Those of one endpoint, each of another member: a few at a time. @returns what was not tried */
  async function sendBeside(told: readonly DeliveryRow[], mayGoOn: () => boolean) {
    const waiting = [...told];
    let waitUntil: number | null = null;
    const lane = async () => {
      while (waiting.length > 0 && waitUntil === null && mayGoOn()) {
        const one = waiting.shift() as DeliveryRow;
        const until = await sendOne(one);
        if (until !== null) waitUntil = Math.max(waitUntil ?? 0, until);
      }
    };
    await Promise.all(Array.from({ length: limits.beside }, lane));
    if (waitUntil === null || waiting.length === 0) return waitUntil === null ? waiting : [];
    const [{ endpointId }] = waiting as [DeliveryRow];
    const move = { ids: waiting.map(({ id }) => id), from: clock(), to: waitUntil };
    await store.transaction((tx) => postponeDeliveries(tx, endpointId, move));
    return [];
  }

  /** @returns until when (ms) others of the endpoint wait; null where they need not */
  async function sendOne(delivery: DeliveryRow): Promise<number | null> {
    const to = await store.lookUp((tx) => recipientOf(tx, delivery));
    if (to === null) return null;
    const begun = clock();
    const { sent, result, answer } = await post(to, delivery);
    const now = clock();
    if (sent === 'busy') return postponed(delivery, now + limits.busyWait);
    const attempt: Attempt = {
      attempts: delivery.attempts + 1,
      firstAt: delivery.firstAt ?? now,
      lastAt: now,
      lastResult: result,
      answer,
    };
    deps.counted(to.tenant.host, sent);
    const { id: deliveryId, endpointId } = delivery;
    const made = { endpointId, deliveryId, at: begun, took: now - begun, result, answer };
    if (sent === 'delivered') {
      unmarked.set(delivery.id, async (tx) => {
        await insertAttempt(tx, made);
        await deliveryOver(tx, delivery, { ...attempt, state: 'delivered' }, now);
      });
      await markSent();
      return null;
    }
    return failed(to.tenant, delivery, { attempt, made }, sent);
  }

  async function postponed({ id }: DeliveryRow, to: number): Promise<number> {
    await store.transaction((tx) => moveTo(tx, id, to));
    return to;
  }

  async function failed(
    tenant: OpenTenant,
    delivery: DeliveryRow,
    { attempt, made }: { readonly attempt: Attempt; readonly made: MadeAttempt },
    sent: Exclude<Sent, 'delivered'>,
  ): Promise<number | null> {
    const now = clock();
    const { id, endpointId, tenantId, kind } = delivery;
    const isEvent = kind === 'event';
    const retryAt = isEvent ? redeliverAt({ ...attempt, firstAt: attempt.firstAt ?? now }, now) : now;
    const isOver = sent === 'gone' || retryAt === null;
    const reason = sent === 'gone' ? 'it answered that it is gone (410)' : 'nothing was taken for three days';
    await store.transaction(async (tx) => {
      await insertAttempt(tx, made);
      await forgetOldAttempts(tx, made);
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
    // One that is refused says nothing of those of other members.
    return sent === 'unreachable' ? retryAt : null;
  }

  /** Who is told now: null where the endpoint or its tenant is off, and what waits is held. */
  async function recipientOf(tx: Tx, { tenantId, endpointId }: DeliveryRow): Promise<Recipient | null> {
    await deps.tenants.follow(tx);
    const tenant = deps.tenants.all().find(({ id }) => id === tenantId);
    const endpoint = await findEndpoint(tx, tenantId, endpointId);
    if (endpoint === null) return null;
    const { secret, previousSecret, previousUntil, url } = endpoint;
    if (endpoint.disabledAt !== null || secret === null) {
      await holdDeliveries(tx, endpointId);
      return null;
    }
    if (tenant === undefined || tenant.disabledAt !== null) {
      const to = clock() + limits.longestWait;
      await postponeDeliveries(tx, endpointId, { ids: [], from: Number.MAX_SAFE_INTEGER, to });
      return null;
    }
    const isBoth = previousSecret !== null && previousUntil !== null && clock() < previousUntil;
    return { tenant, url, secrets: isBoth ? [secret, previousSecret] : [secret] };
  }

  /** Unsealed once while they are in use. */
  function openedOf(sealed: Buffer, tenantId: string): string {
    const key = `${tenantId} ${sealed.toString('base64')}`;
    const known = opened.get(key) ?? deps.vault.decrypt(sealed, tenantId).toString();
    if (opened.size >= limits.opened) opened.clear();
    opened.set(key, known);
    return known;
  }

  async function post({ tenant, url, secrets }: Recipient, { eventId: id, payload: body }: DeliveryRow) {
    const { development } = tenant;
    const inClear = secrets.map((sealed) => openedOf(sealed, tenant.id));
    const call = signedCall({ id, url, secrets: inClear, body, development }, clock());
    const answer = await deps.outbound.send({ ...call, mayArriveTwice: true });
    if (answer.kind === 'answer') {
      // A database keeps no NUL, and half a character would come back as another one.
      const began = answer.body.replaceAll('\0', '').slice(0, limits.answerLength).toWellFormed();
      return { sent: sentBy(answer.status), result: `status ${answer.status}`, answer: began };
    }
    const sent = answer.reason === 'busy' ? 'busy' : 'unreachable';
    return { sent, result: answer.reason, answer: null } as const;
  }
}

interface Recipient {
  readonly tenant: OpenTenant;
  readonly url: string;
  /** Sealed. */
  readonly secrets: readonly Buffer[];
}

const moveTo = async (tx: Tx, id: number, to: number) => {
  await tx
    .updateTable('webhookDeliveries')
    .set({ nextAttemptAt: to })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
};
