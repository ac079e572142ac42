// What an answer says of an event of the audit, and to whom it tells the values of a change.
import { isoTime } from '../../core/access/iso-time.ts';
import { auditEventNames } from '../../core/operators/audit-event.ts';
import { type Actor, mayGrant } from '../../core/operators/permission.ts';
import { list, oneOf, resource, text, textOrNull, time, wholeNumber } from '../../json-schema.ts';
import type { StoredAuditEvent } from '../../storage/operators/audit-event.ts';
import { ofSecret } from '../field-changes.ts';

export const eventField = oneOf('AuditEventName', 'What happened', auditEventNames);
export const resultField = oneOf('AuditResult', 'Whether it was done', ['done', 'refused']);

/** What changed of one field. */
export const fieldChangeSchema = resource('FieldChange', 'A field that changed', {
  field: text('Its name', 'accessTokenSeconds'),
  from: textOrNull('Before, as JSON; null where there was none, or it is not told', '3600'),
  to: text('From then on, as JSON; `changed` alone where it is not told', '600'),
});

export const auditEventSchema = resource('AuditEvent', 'An event of the audit', {
  id: wholeNumber('Its number', 4_711),
  at: time('When'),
  tenantId: textOrNull('Where; null for what concerns the whole service', null),
  event: eventField,
  actorKind: oneOf('ActorKind', 'Who did it', [
    'member',
    'client',
    'admin',
    'token',
    'operator',
    'service',
    'nobody',
  ]),
  actorId: textOrNull('The id of the member or token, the client_id, or the user who ran a command', null),
  target: textOrNull('What it was done to', 'example-app'),
  clientId: textOrNull('The client it went through', 'example-app'),
  address: textOrNull('The address it came from', '192.0.2.1'),
  result: resultField,
  reason: textOrNull('Why, in words', 'clients.create'),
  changes: list(
    'What an operation changed; empty where nothing did, or where the member has been deleted. Of members and of ' +
      'subscriptions it has values only with the permission to read them; else it says of a field that it changed',
    fieldChangeSchema,
  ),
});

/**
 * An event as an actor may read it. The values of a change are data of members and of what they have: who may not read
 * those learns from the audit no more than which fields changed, as the log does.
 */
export function auditAnswer({ id, at, changes = [], ...event }: StoredAuditEvent, actor: Actor) {
  return {
    id,
    at: isoTime(at),
    ...event,
    changes: changes.map(({ readWith, ...change }) =>
      readWith === undefined || mayGrant(actor, [readWith]) ? change : ofSecret(change.field),
    ),
  };
}

export const eventIdField = wholeNumber('The number of the last event of the page before', 4_711);
export const nextField = {
  ...wholeNumber('What the next page takes as `before`; null on the last one', 4_711),
  type: ['integer', 'null'],
};
