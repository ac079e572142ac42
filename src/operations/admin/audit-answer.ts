import { isoTime } from '../../core/access/iso-time.ts';
import { auditEventNames } from '../../core/operators/audit-event.ts';
import { exactly, list, oneOf, text, textOrNull, time, wholeNumber } from '../../json-schema.ts';
import type { StoredAuditEvent } from '../../storage/operators/audit-event.ts';

export const eventField = oneOf('What happened', auditEventNames);
export const resultField = oneOf('Whether it was done', ['done', 'refused']);

export const auditEventSchema = exactly('An event of the audit', {
  id: wholeNumber('Its number', 4_711),
  at: time('When'),
  tenantId: textOrNull('Where; null for what concerns the whole service', null),
  event: eventField,
  actorKind: oneOf('Who did it', ['member', 'client', 'admin', 'token', 'operator', 'service', 'nobody']),
  actorId: textOrNull('The id of the member or token, the client_id, or the user who ran a command', null),
  target: textOrNull('What it was done to', 'example-app'),
  clientId: textOrNull('The client it went through', 'example-app'),
  address: textOrNull('The address it came from', '192.0.2.1'),
  result: resultField,
  reason: textOrNull('Why, in words', 'clients.create'),
  changes: list(
    'What an operation changed; empty where nothing did, or where the member has been deleted',
    exactly('A field', {
      field: text('Its name', 'accessTokenSeconds'),
      from: textOrNull('Before, as JSON; null where there was none, or it is a secret', '3600'),
      to: text('From then on, as JSON; of a secret only that it changed', '600'),
    }),
  ),
});

export function auditAnswer({ id, at, changes = [], ...event }: StoredAuditEvent) {
  return { id, at: isoTime(at), ...event, changes };
}

export const eventIdField = wholeNumber('The number of the last event of the page before', 4_711);
export const nextField = {
  ...wholeNumber('What the next page takes as `before`; null on the last one', 4_711),
  type: ['integer', 'null'],
};
