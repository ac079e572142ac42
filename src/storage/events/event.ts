// Writes events in the transactions of their changes, numbers them, and reads them. Where one process has the database they
// are numbered as they are written, elsewhere once they are committed.
import { type AliasableExpression, sql } from 'kysely';
import { type Change, eventsOf } from '../../core/events/change.ts';
import type { EventFacts, EventType, ToldEvent } from '../../core/events/event.ts';
import { numberedAtOnce } from '../../core/events/limits.ts';
import { sweepStep } from '../../core/operators/limits.ts';
import { changes, insertions } from '../bulk.ts';
import { afterCommit, numbersIn, sourceIn, wakeAfterCommit } from '../operators/audited.ts';
import { lookup, prepared, query, unplanned } from '../prepared.ts';
import type { RowOf } from '../rows.ts';
import type { Tx } from '../store.ts';

/**
 * Writes the events that a change means, in its transaction: they are told if that commits, and never otherwise. `apply`
 * calls it for each write, and each function of the storage that changes anything else of a member for its own, so no
 * caller can forget it. In a store that is not a running service's nothing is told.
 */
export const tell = (tx: Tx, change: Change): Promise<void> => tellAll(tx, [change]);

/** The same of several changes, in their order. */
export async function tellAll(tx: Tx, changed: readonly Change[]): Promise<void> {
  const events = changed.flatMap(eventsOf);
  const source = events.length === 0 ? null : sourceIn(tx);
  if (source === null) return;
  const rows = events.map((event) => rowOf(event, source.at));
  const numbers = numbersIn(tx);
  if (numbers === null) {
    await insertRows(tx, rows);
    wakeAfterCommit(tx, 'events');
    return;
  }
  const tenantIds = await numberEach(tx, rows, numbers.idOf, insertRows);
  afterCommit(tx, () => numbers.numbered(tenantIds));
}

/** Writes one event. Nothing but `tell` and what has no actor calls it. @param at ms */
export async function insertEvent(tx: Tx, event: EventFacts, at: number): Promise<void> {
  await insertRows(tx, [rowOf(event, at)]);
}

const insertRows = insertions('events');

function rowOf(event: EventFacts, at: number) {
  const { tenantId, type, memberId, subject = null, clientId = null, detail = null, changed } = event;
  const facts = { tenantId, at, type, memberId, subject, clientId, detail };
  return { ...facts, changed: changed === undefined ? null : JSON.stringify(changed) };
}

/** Writes an event for each row of a query, in one statement: there may be a hundred thousand. @param at ms */
export async function insertEvents(
  tx: Tx,
  { type, detail, at }: { readonly type: EventType; readonly detail: string | null; readonly at: number },
  rows: AliasableExpression<Of>,
): Promise<void> {
  await tx
    .insertInto('events')
    .columns(['tenantId', 'memberId', 'subject', 'clientId', 'type', 'detail', 'at'])
    .expression(
      tx
        .selectFrom(rows.as('of'))
        .select(['of.tenantId', 'of.memberId', 'of.subject', 'of.clientId'])
        .select([sql.lit(type).as('type'), sql.lit(detail).as('detail'), sql.lit(at).as('at')]),
    )
    .execute();
  const numbers = numbersIn(tx);
  if (numbers === null) {
    wakeAfterCommit(tx, 'events');
    return;
  }
  for (let isDone = false; !isDone; ) {
    const { count, tenantIds } = await numberEvents(tx, numberedAtOnce, numbers.idOf);
    if (count > 0) afterCommit(tx, () => numbers.numbered(tenantIds));
    isDone = count < numberedAtOnce;
  }
}

/** What such a query says of each. */
type Of = Pick<RowOf<'events'>, 'tenantId' | 'memberId' | 'subject' | 'clientId'>;

/**
 * Numbers events that have no number, the first written first, at most so many. Where processes share a database it has a
 * transaction of its own: changes are committed in another order than they are made in, and a reader who has seen a number
 * must find none below it later. Two that number at once are in each other's way, and one runs again.
 *
 * @param idOf makes an id for a time (ms)
 * @returns how many, and the tenants whose they are
 */
export async function numberEvents(
  tx: Tx,
  most: number,
  idOf: (at: number) => string,
): Promise<{ readonly count: number; readonly tenantIds: readonly string[] }> {
  const waiting = await unnumbered.all(tx, { most });
  const tenantIds = await numberEach(tx, waiting, idOf, (_, numbered) =>
    numberAll(
      tx,
      numbered.map(({ seq, number, id }) => ({ seq, number, id })),
    ),
  );
  return { count: waiting.length, tenantIds };
}

/** Gives events the next numbers of their tenants, in their order, and writes them. @returns the tenants */
async function numberEach<Event extends { readonly tenantId: string; readonly at: number }>(
  tx: Tx,
  events: readonly Event[],
  idOf: (at: number) => string,
  write: (tx: Tx, numbered: readonly (Event & { number: number; id: string })[]) => Promise<void>,
): Promise<readonly string[]> {
  const byTenant = Object.groupBy(events, ({ tenantId }) => tenantId);
  for (const [tenantId, own = []] of Object.entries(byTenant)) {
    let number = await takeNumbers(tx, tenantId, own.length);
    const numbered = own.map((event) => {
      number += 1;
      return { ...event, number, id: idOf(event.at) };
    });
    await write(tx, numbered);
  }
  return Object.keys(byTenant);
}

const unnumbered = prepared(({ most }: { most: number }) =>
  query
    .selectFrom('events')
    .select(['seq', 'tenantId', 'at'])
    .where('number', 'is', null)
    .orderBy('seq')
    .limit(unplanned(most, 'bigint')),
);

const numbering = prepared(({ seq, number, id }: { seq: number; number: number; id: string }) =>
  query.updateTable('events').set({ number, id }).where('seq', '=', seq),
);

const numberAll = changes('events', 'seq', numbering.changeOne);

/** @returns the last number before those that are taken */
async function takeNumbers(tx: Tx, tenantId: string, count: number): Promise<number> {
  const taken = await taking.first(tx, { tenantId, count });
  if (taken === null) throw new Error('no numbers were taken');
  return taken.last - count;
}

const taking = prepared(({ tenantId, count }: { tenantId: string; count: number }) =>
  query
    .insertInto('eventNumbers')
    .values({ tenantId, last: count })
    .onConflict((conflict) =>
      conflict
        .column('tenantId')
        .doUpdateSet((eb) => ({ last: eb('eventNumbers.last', '+', eb.ref('excluded.last')) })),
    )
    .returning('last'),
);

/** The number of the last event of a tenant; 0 where there was none. */
export async function lastEventNumber(tx: Tx, tenantId: string): Promise<number> {
  return (await numbersOf.first(tx, { tenantId }))?.last ?? 0;
}

const numbersOf = lookup('eventNumbers', 'tenantId');

/**
 * Forgets some of the first events, where they are over. They lie in the order of their times, so no index of times is
 * written for each event.
 *
 * @param before ms
 * @returns how many
 */
export async function forgetFirstEvents(tx: Tx, before: number): Promise<number> {
  const over = await tx
    .deleteFrom('events')
    .where('seq', '<', ({ eb, selectFrom }) =>
      eb(
        selectFrom('events').select(({ fn }) => fn.min('seq').as('first')),
        '+',
        sweepStep,
      ),
    )
    .where('at', '<', before)
    .executeTakeFirst();
  return Number(over.numDeletedRows);
}

/** Lets the numbers of all tenants skip: a restored database has forgotten some that were told. */
export async function skipEventNumbers(tx: Tx, by: number): Promise<void> {
  await tx
    .updateTable('eventNumbers')
    .set((eb) => ({ last: eb('last', '+', by) }))
    .execute();
}

/** The numbers of the first event of a tenant that is still there, null where none is, and of the last that there was. */
export async function eventSpan(
  tx: Tx,
  tenantId: string,
): Promise<{ readonly first: number | null; readonly last: number }> {
  return { first: await firstNumber(tx, tenantId, 0), last: await lastEventNumber(tx, tenantId) };
}

async function firstNumber(tx: Tx, tenantId: string, after: number): Promise<number | null> {
  const [first] = await listEvents(tx, tenantId, after, 1);
  return first?.number ?? null;
}

/** What a reader asks for. */
export interface EventPage {
  readonly after: number;
  /** All of them where it is left out. */
  readonly types?: readonly EventType[] | undefined;
  readonly limit: number;
  /** How many events are looked at for those of the types. */
  readonly look: number;
}

/**
 * The events of a tenant behind a number, in their order, and up to which number was looked: of some types there may be
 * none for long, and the next call goes on from there.
 */
export async function lookAtEvents(
  tx: Tx,
  tenantId: string,
  { after, types, limit, look }: EventPage,
): Promise<{ readonly events: readonly ToldEvent[]; readonly upTo: number }> {
  if (types === undefined) {
    const events = await listEvents(tx, tenantId, after, limit);
    return { events, upTo: events.at(-1)?.number ?? after };
  }
  const first = await firstNumber(tx, tenantId, after);
  if (first === null) return { events: [], upTo: after };
  const until = Math.min(first + look - 1, await lastEventNumber(tx, tenantId));
  const rows = await tx
    .selectFrom('events')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('number', '>', after)
    .where('number', '<=', until)
    .where('type', 'in', types)
    .orderBy('number')
    .limit(limit)
    .execute();
  const events = rows.map(eventOfRow);
  return { events, upTo: events.length < limit ? until : (events.at(-1)?.number ?? until) };
}

/** The events of a tenant behind a number, in their order, at most so many. */
export async function listEvents(
  tx: Tx,
  tenantId: string,
  after: number,
  most: number,
): Promise<readonly ToldEvent[]> {
  return (await next.all(tx, { tenantId, after, most })).map(eventOfRow);
}

const next = prepared(({ tenantId, after, most }: { tenantId: string; after: number; most: number }) =>
  query
    .selectFrom('events')
    .selectAll()
    .where('tenantId', '=', unplanned(tenantId, 'text'))
    .where('number', '>', unplanned(after, 'bigint'))
    .orderBy('number')
    .limit(unplanned(most, 'bigint')),
);

/** What was told of a member, or is about to be, the first first. */
export async function listEventsOfMember(
  tx: Tx,
  memberId: string,
): Promise<readonly Pick<ToldEvent, 'type' | 'at'>[]> {
  const events = tx.selectFrom('events').select(['type', 'at']).where('memberId', '=', memberId);
  return events.orderBy('seq').execute();
}

function eventOfRow({ seq: _, number, id, changed, ...row }: RowOf<'events'>): ToldEvent {
  if (number === null || id === null) throw new Error('an event without a number was read');
  return { ...row, number, id, changed: changed === null ? null : (JSON.parse(changed) as string[]) };
}
