// The operations on the audit, what they answer of an event, and to whom they tell the values of a change.

import { isoTime } from '../../core/access/iso-time.ts';
import { auditEventNames } from '../../core/operators/audit-event.ts';
import { listLook } from '../../core/operators/limits.ts';
import { type Actor, mayGrant } from '../../core/operators/permission.ts';
import { signInWays } from '../../core/strength.ts';
import type { StoredAuditEvent } from '../../storage/operators/audit-list.ts';
import { listAuditEvents, lookAtAuditEvents } from '../../storage/operators/audit-list.ts';
import type { Tx } from '../../storage/store.ts';
import { eventNames } from '../audit/event-names.ts';
import { ofSecret } from '../field-changes.ts';
import * as s from '../json-schema.ts';
import { periodSchema, priceSchema } from './access/packages.ts';
import { type NoFields, onService, onTenant, tenantField } from './define.ts';
import { listWithFile, momentFields, nextNumber, sortField, withMs } from './list.ts';
import type { Operation, OperationContext } from './operation.ts';

const eventField = s.oneOf('AuditEventName', 'What happened', auditEventNames);
const resultField = s.oneOf('AuditResult', 'Whether it was done', ['done', 'refused']);

/** What changed of one field. */
export const fieldChangeSchema = s.resource('FieldChange', 'A field that changed', {
  field: s.text('Its name', 'accessTokenSeconds'),
  from: s.textOrNull('Before, as JSON; null where there was none, or it is not told', '3600'),
  to: s.text('From then on, as JSON; `changed` alone where it is not told', '600'),
});

const namesSchema = s.resource(
  'EventNames',
  'What the ids of an event are called; null where there is none, or it was erased, or the caller may not read it',
  {
    actor: s.textOrNull('Who did it', 'Sam Holt'),
    memberId: s.textOrNull('The id of the member that it is about', null),
    member: s.textOrNull('The name of that member', null),
    target: s.textOrNull('What it was done to, such as a client, a TV or a package', 'Example App'),
    client: s.textOrNull('The client it went through', 'Example App'),
    offer: s.orNull(
      s.exactly('What was bought, and for how long', { price: priceSchema, period: periodSchema }),
    ),
  },
);

const storedSchema = s.resource('StoredAuditEvent', 'An event of the audit as it is kept', {
  id: s.wholeNumber('Its number', 4_711),
  at: s.time('When'),
  tenantId: s.textOrNull('Where; null for what concerns the whole service', null),
  event: eventField,
  actorKind: s.oneOf('ActorKind', 'Who did it', [
    'member',
    'client',
    'admin',
    'token',
    'operator',
    'service',
    'nobody',
  ]),
  actorId: s.textOrNull('The id of the member or token, the client_id, or the user who ran a command', null),
  target: s.textOrNull('What it was done to', 'example-app'),
  clientId: s.textOrNull('The client it went through', 'example-app'),
  address: s.textOrNull('The address it came from', '192.0.2.1'),
  result: resultField,
  reason: s.textOrNull('Why, in words', 'clients.create'),
  changes: s.list(
    'What an operation changed; empty where nothing did, or where the member has been deleted. Of members and of ' +
      'subscriptions it has values only with the permission to read them; else it says of a field that it changed',
    fieldChangeSchema,
  ),
  operation: s.textOrNull('The operation that did it, or was denied', 'clients.create'),
  memberId: s.textOrNull(
    'The member whose account it is about, where neither who did it nor what it was done to says so',
    null,
  ),
  reference: s.textOrNull('Of a refused request: the reference that its page showed', 'k7p293qd'),
  rule: s.textOrNull(
    'Of a refused request: the rule that refused it, which refusals.why explains; null where the event says it all',
    'redirect_uri_unregistered',
  ),
  browser: s.textOrNull('Of a refused request: what the browser said it is', 'Chrome on Android'),
  way: s.textOrNull(`Of a sign-in: the way that it came by (${signInWays.join(', ')})`, 'password'),
});

export const auditEventSchema = s.extended(storedSchema, 'AuditEvent', 'An event of the audit', {
  names: namesSchema,
});

/** Events as an actor may read them, with what their ids are called. */
export async function auditAnswers(tx: Tx, events: readonly StoredAuditEvent[], actor: Actor) {
  const names = await eventNames(tx, events, actor);
  return events.map((event, index) => ({ ...auditAnswer(event, actor), names: names[index] }));
}

/**
 * An event as an actor may read it. The values of a change are data of members and of what they have: who may not read
 * those learns from the audit no more than which fields changed, as the log does.
 */
function auditAnswer(
  { id, at, changes = [], operation, memberId, reference, rule, browser, way, ...event }: StoredAuditEvent,
  actor: Actor,
) {
  return {
    id,
    at: isoTime(at),
    ...event,
    operation: operation ?? null,
    memberId: memberId ?? null,
    reference: reference ?? null,
    rule: rule ?? null,
    browser: browser ?? null,
    way: way ?? null,
    changes: changes.map(({ readWith, ...change }) =>
      readWith === undefined || mayGrant(actor, [readWith]) ? change : ofSecret(change.field),
    ),
  };
}

/** What narrows a list of events, and where it goes on. */
const narrowing = {
  event: eventField,
  actorId: s.text(
    'Who did it: the id or address of a member, the id of a token, or a client_id',
    'example-app',
  ),
  target: s.text('What it was done to: such as the id or address of a member, or a client_id', 'example-app'),
  clientId: s.text('The client it went through', 'example-app'),
  reference: s.text('Of a refused request: the reference that its page showed', 'k7p293qd'),
  result: resultField,
  ...momentFields,
  sort: sortField('-at', 'at'),
  before: s.wholeNumber('The number of the last event of the page before', 4_711),
};

/** The events of one tenant, or of all. */
const events = {
  permission: 'audit:read',
  route: 'GET /audit',
  columns: ['at', 'event', 'actorKind', 'actorId', 'target', 'clientId', 'result', 'reason', 'changes'],
  of: 'events',
  page: 'A page of events, newest first',
  pageName: 'AuditEvents',
  schema: auditEventSchema,
  fileSchema: storedSchema,
  next: nextNumber(4_711),
  read: (
    { tx, tenant }: OperationContext,
    filter: s.ObjectOf<NoFields, typeof narrowing>,
    limit: number,
  ): Promise<readonly StoredAuditEvent[]> => {
    const ofTenant = tenant === null ? {} : { tenantId: tenant.id };
    return listAuditEvents(tx, { ...withMs(filter), ...ofTenant }, limit);
  },
  look: ({ tx, tenant }: OperationContext, filter: s.ObjectOf<NoFields, typeof narrowing>, limit: number) => {
    const ofTenant = tenant === null ? {} : { tenantId: tenant.id };
    return lookAtAuditEvents(tx, { ...withMs(filter), ...ofTenant }, limit, listLook);
  },
  answer: (event: StoredAuditEvent, { actor }: OperationContext) => auditAnswer(event, actor),
  answers: (found: readonly StoredAuditEvent[], { tx, actor }: OperationContext) =>
    auditAnswers(tx, found, actor),
  key: 'id',
  behind: (event: StoredAuditEvent) => event,
} as const;

const onOne = listWithFile({
  ...events,
  narrowing,
  name: 'audit.list',
  summary: 'List what happened on a tenant, the newest first',
  title: 'Audit',
  lead: 'Everything worth knowing afterwards, newest first.',
  file: {
    name: 'audit.export',
    summary: 'Write what happened on a tenant to a file, one a line',
  },
});

const onAll = listWithFile({
  ...events,
  narrowing: { tenant: { ...tenantField, description: 'Only what happened on this tenant' }, ...narrowing },
  name: 'serviceAudit.list',
  summary: 'List what happened on every tenant and to the service, the newest first',
  title: 'Audit of everything',
  lead: 'Everything worth knowing afterwards, on every tenant and of the service itself, newest first.',
  file: {
    name: 'serviceAudit.export',
    summary: 'Write what happened on every tenant and to the service to a file',
  },
});

export const auditOperations: readonly Operation[] = [
  onTenant(onOne.list),
  onTenant(onOne.file),
  onService(onAll.list),
  onService(onAll.file),
];
