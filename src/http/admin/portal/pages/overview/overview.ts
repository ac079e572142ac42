// The first page of a tenant: its figures, what needs attention, what happened last, and what it sets for itself.

import type { FastifyReply } from 'fastify';
import { day } from '../../../../../core/limits.ts';
import { say } from '../../../../../text/portal.ts';
import { mayCall } from '../../../call.ts';
import { addressOf, operationNamed } from '../../addresses.ts';
import { overviewOf } from '../../menu.ts';
import { callIfMay } from '../../visit.ts';
import type { OperationVisit } from '../../visitor.ts';
import { eventLine, type HappenedEvent } from '../../words/events.ts';
import { detailPage } from '../detail.ts';
import { type AttentionAnswer, attentionLine } from './attention.ts';
import { cardsOf, figuresFor, plotOf, rangeLinks, rangeOf, tableAddress } from './figures.ts';

/** What `overview.read` answers. */
interface Overview {
  readonly attention: readonly AttentionAnswer[];
  readonly events: readonly HappenedEvent[];
}

/** GET /admin/tenants/{tenant}, whichever of its two operations the address names. */
export function showOverview(asked: OperationVisit): Promise<FastifyReply> {
  const visit = { ...asked, operation: operationNamed(asked, 'tenants.read') ?? asked.operation };
  return detailPage(visit, async (tenant) => {
    const host = String(tenant.host);
    const now = visit.deps.clock();
    const figures = await figuresFor(visit, host);
    const found = (await callIfMay(visit, 'overview.read', { tenant: host })) as Overview | null;
    const { attention = [], events = [] } = found ?? {};
    const audit = operationNamed(visit, 'audit.list');
    return {
      template: 'overview/page',
      title: say('menu.overview'),
      data: {
        name: tenant.name,
        issuer: tenant.issuer,
        ranges: rangeLinks(overviewOf(host), rangeOf(visit)),
        cards: figures === null ? [] : cardsOf(figures),
        plot: figures === null ? null : plotOf(figures),
        table: tableAddress(visit, host),
        attention: attention.slice(0, most.attention).map((item) => attentionLine(visit, host, item, now)),
        more: Math.max(0, attention.length - most.attention),
        isWell: attention.every(({ level }) => level === 'good'),
        events: oncePerRow(events.map((event) => happened(visit, host, event, now))).slice(0, most.events),
        audit: audit !== null && mayCall(visit, audit) ? addressOf(audit, { tenant: host }) : null,
      },
    };
  });
}

/** So many lines say what needs attention, and what happened. */
const most = { attention: 6, events: 8 } as const;

type Happened = ReturnType<typeof happened>;

/** What happened several times in a row stands there once, with how often. */
function oncePerRow(events: readonly Happened[]): readonly (Happened & { readonly times: string | null })[] {
  const rows: { event: Happened; count: number; said: string }[] = [];
  for (const event of events) {
    const said = JSON.stringify([event.tag, event.parts, event.from]);
    const last = rows.at(-1);
    if (last?.said === said) last.count += 1;
    else rows.push({ event, count: 1, said });
  }
  return rows.map(({ event, count }) => ({
    ...event,
    times: count === 1 ? null : say('overview.times', { count }),
  }));
}

/** An event as one line: when, what, and from where or by which face. @param now ms */
function happened(visit: OperationVisit, tenant: string, event: HappenedEvent, now: number) {
  const isToday = Math.floor(Date.parse(event.at) / day) === Math.floor(now / day);
  return {
    iso: event.at,
    isToday,
    time: isToday ? event.at.slice(11, 16) : event.at.slice(0, 10),
    ...eventLine(visit, tenant, event),
  };
}
