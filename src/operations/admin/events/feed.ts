// The operation with which other systems read what happened, one after another.
import { eventPayload } from '../../../core/events/event.ts';
import { feed as limits } from '../../../core/events/limits.ts';
import { second } from '../../../core/limits.ts';
import { listLook } from '../../../core/operators/limits.ts';
import { eventSpan, lookAtEvents } from '../../../storage/events/event.ts';
import * as s from '../../json-schema.ts';
import { onTenant } from '../define.ts';
import { limitField } from '../list.ts';
import type { Operation } from '../operation.ts';
import { eventSchema, eventTypesField } from './event.ts';

const numberField = (words: string) => s.numberFrom(0, Number.MAX_SAFE_INTEGER, words, 4_711);

const listed = onTenant({
  name: 'events.list',
  summary: 'Read what happened behind a number, in its order; it may wait for the next event',
  permission: 'events:read',
  route: 'GET /events',
  optional: {
    after: numberField(
      'The number of the last event that was read: those behind it follow. Where it is left out, it answers none, and where to go on',
    ),
    types: eventTypesField,
    limit: limitField,
    wait: {
      ...s.secondsFrom(0, limits.waitSeconds, 'How long to wait for an event where there is none yet', 30),
      default: 0,
    } as s.Defaulted<number>,
  },
  output: s.exactly('Events', {
    events: s.list('Events, the first first', eventSchema),
    next: s.wholeNumber('What the next call takes as `after`', 4_712),
    last: s.wholeNumber('The number of the last event that there is', 4_712),
    missed: s.flag(
      'Whether events behind `after` have been deleted already, or it is of another history: then everything is to be read anew',
    ),
  }),
  // A reader who waits holds no transaction, and is looked at again when the wait is over.
  prepare: async ({ after, wait }, { tenant, events }) => {
    if (after !== undefined && wait > 0) await events.waitFor(tenant.id, after, wait * second);
  },
  run: async ({ tx, tenant }, { after, types, limit }) => {
    const { first, last } = await eventSpan(tx, tenant.id);
    const from = after ?? last;
    const page = { after: from, types, limit, look: listLook };
    const { events, upTo } = await lookAtEvents(tx, tenant.id, page);
    const missed = from > last || (from < last && (first === null || first > from + 1));
    return { events: events.map(eventPayload), next: upTo, last, missed };
  },
});

export const eventOperations: readonly Operation[] = [listed];
