// The operation that answers what an operator wants to know of a tenant first.
import { isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { notableEvents } from '../../../core/operators/audit-event.ts';
import { whatHappened } from '../../../core/operators/figures/limits.ts';
import { mayGrant } from '../../../core/operators/permission.ts';
import { listNewestOf } from '../../../storage/operators/audit-list.ts';
import { attentionCodes, attentionLevels, attentionOf } from '../../attention/attention.ts';
import * as s from '../../json-schema.ts';
import { priceSchema } from '../access/packages.ts';
import { auditAnswers, auditEventSchema } from '../audit.ts';
import { onTenant } from '../define.ts';
import type { Operation } from '../operation.ts';

const attentionSchema = s.resource('Attention', 'Something that needs attention, or where all is well', {
  code: s.oneOf(
    'AttentionCode',
    'What it is. Nothing leads to a client that is unreachable; `requests_refused`: many more than the day before',
    attentionCodes,
  ),
  level: s.oneOf('AttentionLevel', 'How much it needs it; `good` where all is well', attentionLevels),
  count: s.orNull(s.wholeNumber('How many of it there are, up to 1,000', 3)),
  amounts: s.list('How much money it is about, in each currency', priceSchema),
  names: s.list('Whom it is about, the first two of them', s.text('A name', 'Ada Nilsen')),
  clientId: s.textOrNull('The client that it is about', null),
  webhookId: s.textOrNull('The webhook that it is about', null),
  at: s.timeOrNull('Since when it is so, or when it was'),
  detail: s.textOrNull('What a mail server said last, or why a webhook was turned off', null),
});

const read = onTenant({
  name: 'overview.read',
  summary: 'Show what needs attention on a tenant, and what happened last, as far as the caller may know',
  permission: 'tenants:read',
  route: 'GET /overview',
  output: s.resource('Overview', 'What an operator wants to know of a tenant first', {
    attention: s.list('What needs attention, the worst first', attentionSchema),
    events: s.list('What happened last that tells something, the newest first', auditEventSchema),
  }),
  run: async ({ tx, tenant, actor, now, backedUpAt }) => {
    const found = await attentionOf({ tx, tenant, actor, now, backedUpAt: backedUpAt() });
    const events = mayGrant(actor, ['audit:read'])
      ? await listNewestOf(tx, tenant.id, notableEvents, whatHappened)
      : [];
    return {
      attention: found.map((one) => ({ ...one, at: isoTimeOrNull(one.at) })),
      events: await auditAnswers(tx, events, actor),
    };
  },
});

export const overviewOperations: readonly Operation[] = [read];
