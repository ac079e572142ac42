// The page that says why a request was refused, by the reference that its answer or page showed.
import type { FastifyReply } from 'fastify';
import { say } from '../../../../text/portal.ts';
import { mayCall } from '../../call.ts';
import { addressOf, operationNamed, queryText } from '../addresses.ts';
import { overviewOf, shownTenant } from '../menu.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { timeText } from '../words/amounts.ts';
import { eventLine, type HappenedEvent } from '../words/events.ts';
import { labelOf } from '../words/labels.ts';
import { detailPage } from './detail.ts';

/** GET /admin/tenants/{tenant}/refusals/{reference} */
export function showWhy(visit: OperationVisit): Promise<FastifyReply> {
  return detailPage(visit, async (answer) => {
    const { host } = shownTenant(visit);
    const reference = String(answer.reference);
    const events = (answer.events ?? []) as readonly (HappenedEvent & Facts)[];
    return {
      template: 'why',
      title: say('why.title', { reference }),
      data: {
        ...answer,
        labelOf,
        client: pageOf(visit, 'clients.read', answer),
        change: pageOf(visit, 'clients.change', answer),
        lines: events.map((event) => ({
          ...eventLine(visit, host, event),
          iso: event.at,
          when: timeText(event.at),
          browser: event.browser,
        })),
        audit: `${overviewOf(host)}/audit${queryText({ reference })}`,
      },
    };
  });
}

/** A page of the client; null where no operator registered it, or this administrator may not see it. */
function pageOf(visit: OperationVisit, name: string, { clientId, clientName }: Facts): string | null {
  const operation = operationNamed(visit, name);
  if (operation === null || typeof clientName !== 'string' || !mayCall(visit, operation)) return null;
  return addressOf(operation, { ...visit.known, clientId });
}
