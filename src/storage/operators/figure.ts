// Queries of figures over time.
import { sql } from 'kysely';
import { hour } from '../../core/limits.ts';
import type { AuditEvent } from '../../core/operators/audit-event.ts';
import { eventNamesStored, type FigurePoint, type FigureSpan } from '../../core/operators/figures/figure.ts';
import type { SignInWay } from '../../core/strength.ts';
import { deleteRows, findRow, type RowOf, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { FigureRow } from './schema.ts';

type RolledUp = RowOf<'rolledUp'>;

/** How far something is rolled up; 0 where nothing is. */
export async function rolledUpTo(tx: Tx, what: RolledUp['what']): Promise<number> {
  return (await findRow(tx, 'rolledUp', { what }))?.until ?? 0;
}

/**
 * Moves on how far it is.
 *
 * @throws Error if another has moved it meanwhile: what was counted for it is rolled back then
 */
export async function moveRolledUp(tx: Tx, { what, until }: RolledUp, from: number): Promise<void> {
  if ((await findRow(tx, 'rolledUp', { what })) === null) {
    await tx.insertInto('rolledUp').values({ what, until }).execute();
  } else {
    await updateRow(tx, 'rolledUp', { what, until: from }, { until });
  }
}

/** Where a bite ends that begins behind an event and has so many: refreshes are stepped over with the others. */
export async function endOfBite(tx: Tx, after: number, last: number, most: number): Promise<number> {
  const found = await tx
    .selectFrom('auditEvents')
    .select('id')
    .where('id', '>', after)
    .where('id', '<=', last)
    .orderBy('id')
    .limit(1)
    .offset(most - 1)
    .executeTakeFirst();
  return found?.id ?? last;
}

/** Events of one kind in one hour of a tenant. */
export interface CountedEvents extends Pick<AuditEvent, 'event' | 'result'> {
  readonly tenantId: string;
  /** The way of a sign-in; older sign-ins came with a password, and do not say so. */
  readonly way: SignInWay | null;
  /** When the hour began (ms). */
  readonly at: number;
  readonly count: number;
}

/** How often each kind of event happened behind one event and up to another. */
export async function countEvents(tx: Tx, after: number, last: number): Promise<readonly CountedEvents[]> {
  const hours = sql<number>`at / ${sql.lit(hour)}`;
  const rows = await tx
    .selectFrom('auditEvents')
    .select(['tenantId', 'event', 'result', 'way', hours.as('hours')])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    // No condition of a partial index is met here, so events are read in the order of the key, each once.
    .where('id', '>', after)
    .where('id', '<=', last)
    .groupBy(['tenantId', 'event', 'result', 'way', 'hours'])
    .execute();
  return rows.flatMap(({ tenantId, hours: hoursSince, ...counted }) =>
    tenantId === null ? [] : [{ ...counted, tenantId, at: Number(hoursSince) * hour }],
  );
}

/** Adds to figures, which may not be there yet. No two of them are of the same. */
export async function addFigures(tx: Tx, figures: readonly FigureRow[]): Promise<void> {
  if (figures.length === 0) return;
  await tx
    .insertInto('figures')
    .values(figures)
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'unit', 'at', 'name'])
        .doUpdateSet((eb) => ({ value: eb('figures.value', '+', eb.ref('excluded.value')) })),
    )
    .execute();
}

/** Figures of a tenant in a unit, over a time: `until` is not included. */
interface FigureTime extends Pick<FigureRow, 'tenantId' | 'unit'> {
  readonly from: number;
  readonly until: number;
}

/**
 * Puts figures in the place of what a tenant has over a time in a unit; those from events stay. What is so already is
 * not written again.
 */
export async function replaceFigures(
  tx: Tx,
  { tenantId, unit, from, until }: FigureTime,
  figures: readonly FigureRow[],
): Promise<void> {
  const stored = await tx
    .selectFrom('figures')
    .select(['at', 'name', 'value'])
    .where('tenantId', '=', tenantId)
    .where('unit', '=', unit)
    .where('at', '>=', from)
    .where('at', '<', until)
    .where('name', 'not in', eventNamesStored)
    .execute();
  const keyOf = ({ at, name }: Pick<FigureRow, 'at' | 'name'>) => `${at} ${name}`;
  const known = new Map(stored.map((figure) => [keyOf(figure), figure.value]));
  const changed = figures.filter((figure) => known.get(keyOf(figure)) !== figure.value);
  if (changed.length > 0) {
    await tx
      .insertInto('figures')
      .values(changed)
      .onConflict((conflict) =>
        conflict
          .columns(['tenantId', 'unit', 'at', 'name'])
          .doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
      )
      .execute();
  }
  const kept = new Set(figures.map(keyOf));
  for (const { at, name } of stored) {
    if (!kept.has(keyOf({ at, name }))) await deleteRows(tx, 'figures', { tenantId, unit, at, name });
  }
}

/**
 * What each figure came to in the steps of a span and in as many before it. Of what there is only the end of a step
 * counts, which is the last hour or day in it.
 */
export async function readFigures(
  tx: Tx,
  tenantId: string,
  { unit, unitLength, step, steps, from }: FigureSpan,
): Promise<readonly FigurePoint[]> {
  const begin = from - steps * step;
  const since = sql<number>`(at - cast(${begin} as bigint))`;
  const stepOf = sql<number>`${since} / ${sql.lit(step)}`;
  const rows = await tx
    .selectFrom('figures')
    .select(['name', stepOf.as('step')])
    .select(({ fn }) => fn.sum<number>('value').as('value'))
    .where('tenantId', '=', tenantId)
    .where('unit', '=', unit)
    .where('at', '>=', begin)
    .where(({ or, eb }) =>
      or([
        eb('name', 'in', [...eventNamesStored, 'subscriptionsBegun', 'subscriptionsEnded']),
        sql<boolean>`${since} % ${sql.lit(step)} = ${sql.lit(step - unitLength)}`,
      ]),
    )
    .groupBy(['name', 'step'])
    .execute();
  return rows.map((row) => ({ name: row.name, step: Number(row.step), value: Number(row.value) }));
}

/** What a figure came to in the hour that was taken last; null where none was. */
export async function latestFigure(
  tx: Tx,
  tenantId: string,
  name: FigureRow['name'],
): Promise<number | null> {
  const found = await tx
    .selectFrom('figures')
    .select('value')
    .where('tenantId', '=', tenantId)
    .where('unit', '=', 'hour')
    .where('name', '=', name)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.value ?? null;
}

/** When a member came, and was erased; what is walked through to know how many there were. */
export function membersAfter(tx: Tx, id: string, most: number) {
  return tx
    .selectFrom('members')
    .select(['id', 'tenantId', 'createdAt', 'erasedAt'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(most)
    .execute();
}

/** When invoices that were not paid in time were due, and paid. */
export function lateInvoicesAfter(tx: Tx, id: string, most: number) {
  return tx
    .selectFrom('invoices')
    .select(['id', 'tenantId', 'dueAt', 'paidAt'])
    .where('id', '>', id)
    .where((eb) => eb.or([eb('paidAt', 'is', null), eb('paidAt', '>', eb.ref('dueAt'))]))
    .orderBy('id')
    .limit(most)
    .execute();
}

/** The times of subscriptions, with what each costs: what was ordered, else its package. */
export function subscriptionsAfter(tx: Tx, id: number, most: number) {
  return tx
    .selectFrom('subscriptions')
    .innerJoin('packages', 'packages.id', 'subscriptions.packageId')
    .leftJoin('checkouts', 'checkouts.subscriptionId', 'subscriptions.id')
    .select(['subscriptions.id', 'subscriptions.tenantId', 'subscriptions.createdAt'])
    .select(['activatedAt', 'subscriptions.expiresAt', 'cancelledAt', 'endedAt', 'packages.renews'])
    .select(({ fn, ref }) => [
      fn.coalesce('checkouts.price', 'packages.price').as('price'),
      fn.coalesce('checkouts.currency', 'packages.currency').as('currency'),
      fn.coalesce('checkouts.periodUnit', 'packages.periodUnit').as('periodUnit'),
      fn.coalesce('checkouts.periodCount', ref('packages.periodCount')).as('periodCount'),
    ])
    .where('subscriptions.id', '>', id)
    .orderBy('subscriptions.id')
    .limit(most)
    .execute();
}
