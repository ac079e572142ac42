// Registers, changes and turns off the endpoints that a business is told of events at.
import { webhook as limits } from '../../core/events/limits.ts';
import type { WebhookEndpoint } from '../../core/events/webhook.ts';
import { minute } from '../../core/limits.ts';
import { readOutboundUrl } from '../../core/oidc/client/outbound-url.ts';
import { problem } from '../../core/problem.ts';
import type { Vault } from '../../secrets/vault.ts';
import { webhookSecret } from '../../secrets/webhook.ts';
import { lastEventNumber } from '../../storage/events/event.ts';
import {
  type Attempt,
  countExtras,
  countUndelivered,
  findDelivery,
  holdDeliveries,
  insertExtra,
  releaseDeliveries,
} from '../../storage/events/webhook-delivery.ts';
import {
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
} from '../../storage/events/webhook-endpoint.ts';
import { listMembers } from '../../storage/members/member-search.ts';
import { wakeAfterCommit } from '../../storage/operators/audited.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { auditDeed } from '../audit/audit.ts';
import { type Mailer, toMember } from '../mail/mailer.ts';
import { conflict, refuseIfAny } from '../refusal.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

interface EndpointDeps {
  readonly vault: Pick<Vault, 'encrypt'>;
  readonly random: Pick<Random, 'id' | 'secret'>;
  readonly now: number;
}

/** What an operator says of an endpoint. */
export type EndpointFacts = Pick<WebhookEndpoint, 'name' | 'url' | 'types'>;

function refuseUncallable(url: string | undefined, development: boolean): void {
  const isCallable = url === undefined || readOutboundUrl(url, development) !== null;
  refuseIfAny(isCallable ? [] : [problem('url', 'not_callable', { value: url ?? '' })]);
}

/** Registers an endpoint: it is told of what happens from now on. @returns it, and its secret, once */
export async function addEndpoint(
  tx: Tx,
  { id: tenantId, development }: Pick<OpenTenant, 'id' | 'development'>,
  facts: EndpointFacts,
  { vault, random, now }: EndpointDeps,
): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string }> {
  refuseUncallable(facts.url, development);
  const all = await listEndpoints(tx, tenantId, { limit: limits.endpoints });
  if (all.length >= limits.endpoints) throw conflict([], 'too_many_webhooks', { most: limits.endpoints });
  const secret = webhookSecret(random.secret());
  const endpoint: WebhookEndpoint = {
    ...facts,
    name: facts.name.trim(),
    id: random.id(now),
    tenantId,
    createdAt: now,
    disabledAt: null,
    disabledReason: null,
    previousUntil: null,
    position: await lastEventNumber(tx, tenantId),
  };
  await insertEndpoint(tx, endpoint, vault.encrypt(Buffer.from(secret), tenantId));
  return { endpoint, secret };
}

/** Changes an endpoint. @returns null if there is none */
export async function changeEndpoint(
  tx: Tx,
  { id: tenantId, development }: Pick<OpenTenant, 'id' | 'development'>,
  id: string,
  changes: Partial<EndpointFacts>,
): Promise<WebhookEndpoint | null> {
  const endpoint = await findEndpoint(tx, tenantId, id);
  if (endpoint === null) return null;
  if (changes.url !== endpoint.url) refuseUncallable(changes.url, development);
  if (Object.keys(changes).length > 0) await updateEndpoint(tx, endpoint, changes);
  return { ...endpoint, ...changes };
}

/** Gives an endpoint another secret; the old one signs too for a day. @returns it, once; null if there is no endpoint */
export async function rotateSecret(
  tx: Tx,
  tenantId: string,
  id: string,
  { vault, random, now }: EndpointDeps,
): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string } | null> {
  const endpoint = await findEndpoint(tx, tenantId, id);
  if (endpoint === null) return null;
  const secret = webhookSecret(random.secret());
  const previousUntil = endpoint.secret === null ? null : now + limits.overlap;
  await updateEndpoint(tx, endpoint, {
    secret: vault.encrypt(Buffer.from(secret), tenantId),
    previousSecret: endpoint.secret,
    previousUntil,
  });
  return { endpoint: { ...endpoint, previousUntil }, secret };
}

/** Turns an endpoint off: what happens meanwhile waits for it. @returns null if there is none */
export async function disableEndpoint(
  tx: Tx,
  tenantId: string,
  id: string,
  now: number,
  disabledReason: string | null = null,
): Promise<WebhookEndpoint | null> {
  const endpoint = await findEndpoint(tx, tenantId, id);
  if (endpoint === null || endpoint.disabledAt !== null) return endpoint;
  const off = { disabledAt: now, disabledReason };
  await updateEndpoint(tx, endpoint, off);
  await holdDeliveries(tx, id);
  return { ...endpoint, ...off };
}

/** Turns an endpoint on: it goes on where it was. @returns null if there is none */
export async function enableEndpoint(
  tx: Tx,
  tenantId: string,
  id: string,
  now: number,
): Promise<WebhookEndpoint | null> {
  const endpoint = await findEndpoint(tx, tenantId, id);
  if (endpoint === null || endpoint.disabledAt === null) return endpoint;
  if (endpoint.secret === null) throw conflict([], 'webhook_without_secret');
  const on = { disabledAt: null, disabledReason: null };
  await updateEndpoint(tx, endpoint, on);
  await releaseDeliveries(tx, id, now);
  wakeAfterCommit(tx, 'webhooks');
  return { ...endpoint, ...on };
}

/** Turns off an endpoint that takes nothing, and tells the tenant's administrators, once. */
export async function disableFailing(
  tx: Tx,
  tenant: OpenTenant,
  endpointId: string,
  { reason, last }: { readonly reason: string; readonly last: Pick<Attempt, 'lastResult' | 'answer'> },
  { clock, mails }: { readonly clock: () => number; readonly mails: Pick<Mailer, 'queue'> },
): Promise<void> {
  const { id: tenantId } = tenant;
  const endpoint = await findEndpoint(tx, tenantId, endpointId);
  if (endpoint === null || endpoint.disabledAt !== null) return;
  const now = clock();
  await disableEndpoint(tx, tenantId, endpointId, now, reason);
  const target = endpointId;
  await auditDeed(tx, { event: 'admin_acted', operation: 'webhooks.disable', tenantId, target, reason });
  const values = {
    webhook: endpoint.name,
    answer: answerInMail(last),
    waiting: await waitingInMail(tx, endpoint),
    time: now,
  };
  const link = `${tenant.issuer}/admin/tenants/${encodeURIComponent(tenant.host)}/webhooks/${endpointId}`;
  const told = { userType: 'any_admin', status: 'active' } as const;
  for (const administrator of await listMembers(tx, tenantId, told, limits.told, now)) {
    await mails.queue(tx, tenant, {
      ...toMember(administrator, undefined, values),
      name: 'webhookOff',
      link,
    });
  }
}

/** What came of it last, on one line; of an answer its beginning. */
function answerInMail({ lastResult, answer }: Pick<Attempt, 'lastResult' | 'answer'>): string {
  const began = (answer ?? '').trim().slice(0, limits.answerInMail).toWellFormed();
  return [lastResult ?? '', began].filter(Boolean).join(': ');
}

/** How many events wait for it; where there are very many, that it is more than what is looked at. */
async function waitingInMail(tx: Tx, { id }: WebhookEndpoint): Promise<string> {
  const waiting = await countUndelivered(tx, id, limits.window);
  return waiting < limits.window ? `${waiting}` : `${waiting}+`;
}

/** Sends a test, or something again: by itself, once. @returns its delivery; null if there is no such endpoint or delivery */
export async function sendExtra(
  tx: Tx,
  tenantId: string,
  id: string,
  deliveryId: number | null,
  { random, now }: Pick<EndpointDeps, 'random' | 'now'>,
): Promise<number | null> {
  const endpoint = await findEndpoint(tx, tenantId, id);
  const again = endpoint === null || deliveryId === null ? null : await findDelivery(tx, id, deliveryId);
  if (endpoint === null || (deliveryId !== null && again === null)) return null;
  if (endpoint.disabledAt !== null) throw conflict([], 'webhook_is_off');
  const most = limits.extrasPerMinute;
  if ((await countExtras(tx, id, now - minute, most)) >= most) throw conflict([], 'too_many_tests', { most });
  const of = { tenantId, endpointId: id, createdAt: now } as const;
  wakeAfterCommit(tx, 'webhooks');
  if (again !== null) {
    const { eventId, type, memberId, payload } = again;
    return insertExtra(tx, { ...of, kind: 'again', eventId, type, memberId, payload });
  }
  const test = {
    id: random.id(now),
    type: 'webhook.test',
    timestamp: new Date(now).toISOString(),
  } as const;
  const payload = JSON.stringify({ ...test, tenantId, data: { webhookId: id } });
  const { id: eventId, type } = test;
  return insertExtra(tx, { ...of, kind: 'test', eventId, type, memberId: null, payload });
}
