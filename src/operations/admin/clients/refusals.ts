// What a client's page says of its last refused requests.
import { isoTime } from '../../../core/access/iso-time.ts';
import { listAuditEvents } from '../../../storage/operators/audit-list.ts';
import type { Tx } from '../../../storage/store.ts';
import * as s from '../../json-schema.ts';

/** So many of them are shown. */
const shown = 20;

export const refusalsSchema = s.list(
  'The last requests that were refused, newest first',
  s.resource('RefusedRequest', 'A refused request', {
    at: s.time('When'),
    event: s.text('What was refused', 'client_authentication_failed'),
    reason: s.textOrNull('Why, in words', 'the client_secret is wrong'),
    address: s.textOrNull('Where it came from', '192.0.2.1'),
    reference: s.textOrNull('What its answer or page showed, which refusals.why explains', 'k7p293qd'),
  }),
);

export async function refusalsOf(tx: Tx, of: { readonly tenantId: string; readonly clientId: string }) {
  const events = await listAuditEvents(tx, { ...of, result: 'refused' }, shown);
  return events.map(({ at, event, reason, address, reference = null }) => ({
    at: isoTime(at),
    event,
    reason,
    address,
    reference,
  }));
}
