// A list of events of the audit: what happened as sentences, and all that is known of each behind it.

import type { Schema } from '../../../../operations/json-schema.ts';
import { say } from '../../../../text/portal.ts';
import { shownTenant } from '../menu.ts';
import { factsOf, type Shown, timeOf, withLinks } from '../values.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { eventLine, type HappenedEvent } from '../words/events.ts';
import { labelOf } from '../words/labels.ts';

type Table = Extract<Shown, { kind: 'table' }>;

/** What a sentence tells, or its row. */
const told = ['id', 'at', 'names', 'result', 'tenantId'];

/** Events as a table. Where they are of several tenants, each names its tenant. */
export function eventTable(visit: OperationVisit, items: readonly Facts[], schema: Schema): Table {
  const tenants = new Map(visit.deps.tenants.all().map((tenant) => [tenant.id, tenant]));
  const isOfAll = !visit.operation.path.includes('{tenant}');
  const columns = ['at', 'happened', ...(isOfAll ? ['tenant'] : []), 'from'];
  return {
    kind: 'table',
    columns: columns.map((name) => ({ name, label: labelOf(name) })),
    rows: items.map((item) => {
      const tenant = tenants.get(String(item.tenantId)) ?? null;
      const event = item as unknown as HappenedEvent;
      const { tag, parts, from } = eventLine(visit, tenant?.host ?? shownTenant(visit).host, event);
      const known = Object.fromEntries(Object.entries(item).filter(([, value]) => isSaid(value)));
      const facts = withLinks(visit, { kind: 'facts', facts: factsOf(known, schema, told) }, tenant?.host);
      const cells: readonly Shown[] = [
        timeOf(event.at),
        { kind: 'event', tag, parts, facts: facts.kind === 'facts' ? facts.facts : [] },
        ...(isOfAll ? [{ kind: 'text', text: tenant?.name ?? say('event.service') } as const] : []),
        from === '' ? { kind: 'none' } : { kind: 'text', text: from },
      ];
      return { item, cells };
    }),
  };
}

const isSaid = (value: unknown) => value !== null && (!Array.isArray(value) || value.length > 0);
