// Queries of what endpoints are told: for each member in the order of her events.
import { type Insertable, sql } from 'kysely';
import { webhook as limits } from '../../core/events/limits.ts';
import { insertion, lookup, prepared, query, unplanned } from '../prepared.ts';
import { type NewestPage, newest, type RowOf, rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { WebhookDeliveryRow } from './schema.ts';

export type DeliveryRow = RowOf<'webhookDeliveries'>;
type OfMember = { readonly endpointId: string; readonly memberId: string };

/** How many deliveries of an endpoint are on their way. */
export async function countUndelivered(tx: Tx, endpointId: string, most: number): Promise<number> {
  return (await undelivered.first(tx, { endpointId, most }))?.all ?? 0;
}

const undelivered = prepared(({ endpointId, most }: { endpointId: string; most: number }) => {
  const some = query
    .selectFrom('webhookDeliveries')
    .select('id')
    .where('endpointId', '=', unplanned(endpointId, 'text'))
    .where('state', 'in', ['held', 'waiting'])
    .limit(unplanned(most, 'bigint'));
  return query.selectFrom(some.as('some')).select(({ fn }) => fn.countAll<number>().as('all'));
});

type Told = Omit<
  Insertable<WebhookDeliveryRow>,
  'id' | 'state' | 'attempts' | 'nextAttemptAt' | 'firstAt' | 'lastAt' | 'lastResult' | 'answer'
>;

const begun = { attempts: 0, firstAt: null, lastAt: null, lastResult: null, answer: null } as const;

/** Puts one into the queue; behind another of the same member it is held. */
export async function insertDelivery(tx: Tx, told: Told): Promise<void> {
  const { kind, endpointId, memberId = null } = told;
  const isOrdered = kind === 'event' && memberId !== null;
  const isHeld = isOrdered && (await firstOfMember.first(tx, { endpointId, memberId })) !== null;
  const state = isHeld ? 'held' : 'waiting';
  await insertRow(tx, { ...told, ...begun, state, nextAttemptAt: told.createdAt });
}

/** Puts one into the queue that is no event, and waits for none. @returns its id */
export async function insertExtra(tx: Tx, told: Told): Promise<number> {
  const row = { ...told, ...begun, state: 'waiting', nextAttemptAt: told.createdAt } as const;
  const made = tx.insertInto('webhookDeliveries').values(row).returning('id');
  return (await made.executeTakeFirstOrThrow()).id;
}

const insertRow = insertion('webhookDeliveries');

/** What is on its way to an endpoint of a member, the first of it: its constants are those of the index. */
const firstOfMember = prepared(({ endpointId, memberId }: OfMember) =>
  query
    .selectFrom('webhookDeliveries')
    .select(['id', 'state'])
    .where('endpointId', '=', unplanned(endpointId, 'text'))
    .where('memberId', '=', unplanned(memberId, 'text'))
    .where('kind', '=', 'event')
    .where('state', 'in', ['held', 'waiting'])
    .orderBy('id')
    .limit(1),
);

/** Those that are due, the oldest first. */
export async function listDueDeliveries(tx: Tx, now: number, most: number): Promise<readonly DeliveryRow[]> {
  return due.all(tx, { now, most });
}

const due = prepared(({ now, most }: { now: number; most: number }) =>
  query
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('nextAttemptAt', '<=', unplanned(now, 'bigint'))
    .orderBy('nextAttemptAt')
    .orderBy('id')
    .limit(unplanned(most, 'bigint')),
);

/** Takes those that are due, so that no other process finds them until a moment (ms). */
export async function takeDueDeliveries(
  tx: Tx,
  now: number,
  most: number,
  until: number,
): Promise<readonly DeliveryRow[]> {
  const due = await listDueDeliveries(tx, now, most);
  const ids = due.map(({ id }) => id);
  if (ids.length > 0) {
    await tx.updateTable('webhookDeliveries').set({ nextAttemptAt: until }).where('id', 'in', ids).execute();
  }
  return due;
}

/** Moves the moment until which they are taken; those that were tried in the meantime have another, and keep it. */
export async function moveTakenDeliveries(
  tx: Tx,
  { ids, until }: { readonly ids: readonly number[]; readonly until: number },
  to: number,
): Promise<void> {
  await tx
    .updateTable('webhookDeliveries')
    .set({ nextAttemptAt: to })
    .where('id', 'in', ids)
    .where('state', '=', 'waiting')
    .where('nextAttemptAt', '=', until)
    .execute();
}

/** When the next one is due, or null if none waits. */
export async function nextDeliveryDueAt(tx: Tx): Promise<number | null> {
  return (await nextDue.first(tx, {}))?.nextAttemptAt ?? null;
}

const nextDue = prepared(() =>
  query
    .selectFrom('webhookDeliveries')
    .select('nextAttemptAt')
    .where('state', '=', 'waiting')
    .orderBy('nextAttemptAt')
    .limit(1),
);

/** What came of an attempt. */
export type Attempt = Pick<DeliveryRow, 'attempts' | 'firstAt' | 'lastAt' | 'lastResult' | 'answer'>;

/** It is over, delivered or not: the next of the same member goes on its way. @param now ms */
export async function deliveryOver(
  tx: Tx,
  delivery: DeliveryRow,
  over: Attempt & { readonly state: 'delivered' | 'failed' },
  now: number,
): Promise<void> {
  const { id, kind, endpointId, memberId } = delivery;
  await end.run(tx, { ...over, id });
  if (kind !== 'event' || memberId === null) return;
  const next = await firstOfMember.first(tx, { endpointId, memberId });
  if (next?.state === 'held') await letGo.changeOne(tx, { id: next.id, now });
}

type Ended = Attempt & { readonly id: number; readonly state: 'delivered' | 'failed' };
const end = prepared(({ id, state, attempts, firstAt, lastAt, lastResult, answer }: Ended) =>
  query
    .updateTable('webhookDeliveries')
    .set({ state, attempts, firstAt, lastAt, lastResult, answer })
    .where('id', '=', id)
    .where('state', '=', 'waiting'),
);

const letGo = prepared(({ id, now }: { id: number; now: number }) =>
  query.updateTable('webhookDeliveries').set({ state: 'waiting', nextAttemptAt: now }).where('id', '=', id),
);

/** It is sent again at a time (ms). */
export async function deliveryFailed(
  tx: Tx,
  { id }: Pick<DeliveryRow, 'id'>,
  attempt: Attempt,
  retryAt: number,
): Promise<void> {
  await again.run(tx, { ...attempt, id, retryAt });
}

type Tried = Attempt & { readonly id: number; readonly retryAt: number };
const again = prepared(({ id, retryAt, attempts, firstAt, lastAt, lastResult, answer }: Tried) =>
  query
    .updateTable('webhookDeliveries')
    .set({ attempts, firstAt, lastAt, lastResult, answer, nextAttemptAt: retryAt })
    .where('id', '=', id)
    .where('state', '=', 'waiting'),
);

/** Lets all that is due of an endpoint wait that cannot be reached: each would take as long to fail. */
export async function postponeDeliveries(
  tx: Tx,
  endpointId: string,
  { ids, from, to }: { readonly ids: readonly number[]; readonly from: number; readonly to: number },
): Promise<void> {
  await tx
    .updateTable('webhookDeliveries')
    .set({ nextAttemptAt: to })
    .where('endpointId', '=', endpointId)
    .where('state', '=', 'waiting')
    .where((eb) =>
      eb.or([eb('nextAttemptAt', '<=', from), ...(ids.length > 0 ? [eb('id', 'in', [...ids])] : [])]),
    )
    .execute();
}

/** Lets one delivery wait, where none of its endpoint was tried. */
export async function postponeDelivery(tx: Tx, id: number, to: number): Promise<void> {
  await tx
    .updateTable('webhookDeliveries')
    .set({ nextAttemptAt: to })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
}

/** Nothing is sent to an endpoint any more: what waits is held, and tests are over. */
export async function holdDeliveries(tx: Tx, endpointId: string): Promise<void> {
  const waiting = tx
    .updateTable('webhookDeliveries')
    .where('endpointId', '=', endpointId)
    .where('state', '=', 'waiting');
  await waiting.where('kind', '<>', 'event').set({ state: 'failed' }).execute();
  await waiting.set({ state: 'held' }).execute();
}

/** The first of each member goes on its way again, with its whole time. */
export async function releaseDeliveries(tx: Tx, endpointId: string, now: number): Promise<void> {
  const held = tx
    .selectFrom('webhookDeliveries')
    .where('endpointId', '=', endpointId)
    .where('state', '=', 'held');
  const heads = held
    .select(({ fn }) => fn.min('id').as('id'))
    .where('memberId', 'is not', null)
    .groupBy('memberId');
  const others = held.select('id').where('memberId', 'is', null);
  await tx
    .updateTable('webhookDeliveries')
    .set({ state: 'waiting', nextAttemptAt: now, attempts: 0, firstAt: null })
    .where((eb) => eb.or([eb('id', 'in', heads), eb('id', 'in', others)]))
    .execute();
}

/** What an endpoint was told or waits to be told, the newest first. */
export async function listDeliveries(
  tx: Tx,
  endpointId: string,
  page: NewestPage<number>,
): Promise<readonly DeliveryRow[]> {
  return newest(rowsWith(tx, 'webhookDeliveries', { endpointId }), 'id', page).execute();
}

/** One of an endpoint, or null. */
export async function findDelivery(tx: Tx, endpointId: string, id: number): Promise<DeliveryRow | null> {
  return byId.first(tx, { endpointId, id });
}

const byId = lookup('webhookDeliveries', 'endpointId', 'id');

/** How many tests and repetitions an endpoint was sent since a time (ms). */
export async function countExtras(tx: Tx, endpointId: string, since: number, most: number): Promise<number> {
  const extras = rowsWith(tx, 'webhookDeliveries', { endpointId })
    .where('kind', '<>', 'event')
    .where('createdAt', '>', since)
    .orderBy('id', 'desc')
    .limit(most);
  return (await extras.execute()).length;
}

/** Since when (ms) an endpoint has failed: when that was tried first which has not been taken since; null where all was. */
export async function failingSince(tx: Tx, endpointId: string): Promise<number | null> {
  const failing = rowsWith(tx, 'webhookDeliveries', { endpointId })
    .where('state', '=', sql.lit('waiting'))
    .where('firstAt', 'is not', null);
  return (await failing.orderBy('firstAt').limit(1).executeTakeFirst())?.firstAt ?? null;
}

/** How many wait in all, and how many are held; where there are very many, as many as are counted. */
export async function countDeliveries(tx: Tx): Promise<{ waiting: number; held: number }> {
  const count = async (state: 'waiting' | 'held') => {
    const some = rowsWith(tx, 'webhookDeliveries', { state })
      .clearSelect()
      .select('id')
      .limit(limits.counted);
    const { all } = await tx
      .selectFrom(some.as('some'))
      .select(({ fn }) => fn.countAll<number>().as('all'))
      .executeTakeFirstOrThrow();
    return all;
  };
  return { waiting: await count('waiting'), held: await count('held') };
}

/** Since when (ms) that waits which has waited longest, of all that is not held; null where nothing waits. */
export async function oldestWaitingSince(tx: Tx): Promise<number | null> {
  const waiting = tx
    .selectFrom('webhookDeliveries')
    .select('createdAt')
    .where('state', '=', sql.lit('waiting'))
    .orderBy('createdAt');
  return (await waiting.limit(1).executeTakeFirst())?.createdAt ?? null;
}
