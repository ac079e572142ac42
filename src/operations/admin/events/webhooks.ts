// The operations on the endpoints that a business is told of events at.
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import type { WebhookEndpoint } from '../../../core/events/webhook.ts';
import { listPage } from '../../../core/limits.ts';
import { nameProblem } from '../../../core/members/details.ts';
import { brandNameLength } from '../../../core/members/limits.ts';
import { listDeliveries } from '../../../storage/events/webhook-delivery.ts';
import { deleteEndpoint, findEndpoint, listEndpoints } from '../../../storage/events/webhook-endpoint.ts';
import {
  addEndpoint,
  changeEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateSecret,
  sendExtra,
} from '../../events/endpoint.ts';
import * as s from '../../json-schema.ts';
import { refuseIfAny, unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation } from '../operation.ts';
import { isNotYet, isSince } from '../portal-face.ts';
import { deliveryAnswers, deliverySchema } from './delivery.ts';
import { eventTypesField } from './event.ts';

export const webhookIdField = s.named(
  'WebhookId',
  s.text('The id of the webhook', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a21'),
);

const webhookFields = {
  name: s.held(s.text('What it is for', 'CRM'), s.nameRule(brandNameLength)),
  url: s.text('Where events are sent, by https', 'https://crm.example.com/hooks/members'),
};
const typesField = s.orNull(
  { ...eventTypesField, description: 'The types of events that it is told of' },
  'every type',
);

const webhookSchema = s.resource('Webhook', 'An endpoint that is told of events', {
  webhookId: webhookIdField,
  ...webhookFields,
  types: typesField,
  createdAt: s.time('When it was made'),
  disabledAt: s.timeOrNull('Since when it is off', null),
  disabledReason: s.textOrNull('Why it is off, where it was not an operator who turned it off', null),
  previousSecretUntil: s.timeOrNull('Until when the secret before this one signs too', null),
});

const answerOf = ({ id, createdAt, disabledAt, previousUntil, ...endpoint }: WebhookEndpoint) =>
  s.pick(webhookSchema, {
    ...endpoint,
    webhookId: id,
    createdAt: isoTime(createdAt),
    disabledAt: isoTimeOrNull(disabledAt),
    previousSecretUntil: isoTimeOrNull(previousUntil),
  });

/** @throws OperationRefused if there is none */
function found(endpoint: WebhookEndpoint | null): object {
  if (endpoint === null) throw unknown('webhook');
  return answerOf(endpoint);
}

const secretSchema = s.extended(webhookSchema, 'WebhookWithSecret', 'The webhook, and its secret', {
  secret: s.asSecret(
    s.text('What signs what it is told: shown once', 'whsec_cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs'),
  ),
});

const fields = { webhookId: webhookIdField };
const whichSchema = s.exactly('Which webhook it was', fields);
const ofWebhook = { page: 'webhooks.read', reads: 'webhooks.read' } as const;

const listed = onTenant(
  keyedList({
    name: 'webhooks.list',
    summary: 'List the endpoints that are told of events',
    permission: 'events:read',
    route: 'GET /webhooks',
    title: 'Webhooks',
    lead: 'Addresses of your other systems that are told what happens to members, signed by Standard Webhooks.',
    columns: ['name', 'url', 'createdAt', 'disabledAt'],
    entry: { field: 'webhookId', key: 'webhookId' },
    bulk: ['webhooks.disable', 'webhooks.enable'],
    opens: 'webhooks.read',
    of: 'webhooks',
    page: 'A page of webhooks, oldest first',
    schema: webhookSchema,
    read: async ({ tx, tenant }, page) => (await listEndpoints(tx, tenant.id, page)).map(answerOf),
  }),
);

const read = onTenant({
  name: 'webhooks.read',
  summary: 'Show a webhook, and what it was told last',
  portal: { parts: { deliveries: { list: 'webhookDeliveries.list' } } },
  permission: 'events:read',
  route: 'GET /webhooks/{webhookId}',
  fields,
  output: s.extended(webhookSchema, 'WebhookDetails', 'The webhook', {
    deliveries: s.list('What it was told last, or is to be told, newest first', deliverySchema),
  }),
  run: async (context, { webhookId }) => {
    const { tx, tenant } = context;
    const webhook = found(await findEndpoint(tx, tenant.id, webhookId));
    const deliveries = await listDeliveries(tx, webhookId, { limit: listPage.default });
    return { ...webhook, deliveries: await deliveryAnswers(deliveries, context) };
  },
});

const created = onTenant({
  name: 'webhooks.create',
  summary:
    'Add an endpoint: it is told of what happens from now on. Its secret is shown once: keep it at the receiver',
  portal: { page: 'webhooks.list' },
  permission: 'events:write',
  route: 'POST /webhooks',
  fields: webhookFields,
  optional: { types: typesField },
  output: secretSchema,
  made: 'webhookId',
  run: async ({ tx, tenant, vault, random, now }, { types = null, ...facts }) => {
    refuseIfAny([nameProblem(facts.name)].filter((one) => one !== null));
    const { endpoint, secret } = await addEndpoint(tx, tenant, { ...facts, types }, { vault, random, now });
    return { ...answerOf(endpoint), secret };
  },
});

const changed = onTenant({
  name: 'webhooks.change',
  summary: 'Change a webhook; what waits for it goes to the new address',
  portal: ofWebhook,
  permission: 'events:write',
  route: 'PATCH /webhooks/{webhookId}',
  fields,
  optional: { ...webhookFields, types: typesField },
  output: webhookSchema,
  run: async ({ tx, tenant }, { webhookId, ...changes }) => {
    refuseIfAny([nameProblem(changes.name ?? 'x')].filter((one) => one !== null));
    return found(await changeEndpoint(tx, tenant, webhookId, changes));
  },
});

const rotated = onTenant({
  name: 'webhooks.rotateSecret',
  summary: 'Give a webhook another secret, shown once. The old one signs too for a day',
  portal: { ...ofWebhook, titledFor: true },
  permission: 'events:write',
  route: 'POST /webhooks/{webhookId}/secret',
  fields,
  output: secretSchema,
  run: async ({ tx, tenant, vault, random, now }, { webhookId }) => {
    const made = await rotateSecret(tx, tenant.id, webhookId, { vault, random, now });
    if (made === null) throw unknown('webhook');
    return { ...answerOf(made.endpoint), secret: made.secret };
  },
});

const tested = onTenant({
  name: 'webhooks.test',
  summary: 'Send a webhook a test event, once',
  portal: { ...ofWebhook, atOnce: true, fits: isNotYet('disabledAt') },
  permission: 'events:write',
  route: 'POST /webhooks/{webhookId}/test',
  fields,
  output: whichSchema,
  run: async ({ tx, tenant, random, now }, { webhookId }) => {
    if ((await sendExtra(tx, tenant.id, webhookId, null, { random, now })) === null) throw unknown('webhook');
    return { webhookId };
  },
});

const disabled = onTenant({
  name: 'webhooks.disable',
  summary: 'Turn a webhook off: what happens meanwhile waits for it, for 30 days',
  portal: {
    ...ofWebhook,
    ends: 'forNow',
    undo: { by: 'webhooks.enable' },
    fits: isNotYet('disabledAt'),
  },
  permission: 'events:write',
  route: 'POST /webhooks/{webhookId}/disable',
  fields,
  output: webhookSchema,
  run: async ({ tx, tenant, now }, { webhookId }) =>
    found(await disableEndpoint(tx, tenant.id, webhookId, now)),
});

const enabled = onTenant({
  name: 'webhooks.enable',
  summary: 'Turn a webhook on: it goes on where it was',
  portal: {
    ...ofWebhook,
    atOnce: true,
    undo: { by: 'webhooks.disable' },
    fits: isSince('disabledAt'),
  },
  permission: 'events:write',
  route: 'POST /webhooks/{webhookId}/enable',
  fields,
  output: webhookSchema,
  run: async ({ tx, tenant, now }, { webhookId }) =>
    found(await enableEndpoint(tx, tenant.id, webhookId, now)),
});

const deleted = onTenant({
  name: 'webhooks.delete',
  summary: 'Delete a webhook, with what it was told and what waits for it',
  portal: { ...ofWebhook, page: 'webhooks.list', ends: 'forGood' },
  permission: 'events:write',
  route: 'DELETE /webhooks/{webhookId}',
  fields,
  output: whichSchema,
  run: async ({ tx, tenant }, { webhookId }) => {
    const endpoint = await findEndpoint(tx, tenant.id, webhookId);
    if (endpoint === null) throw unknown('webhook');
    await deleteEndpoint(tx, endpoint);
    return { webhookId };
  },
});

export const webhookOperations: readonly Operation[] = [
  listed,
  read,
  created,
  changed,
  rotated,
  tested,
  disabled,
  enabled,
  deleted,
];
