import { describe, expect, it } from 'vitest';
import type { AuditEventName } from '../../../src/core/operators/audit-event.ts';
import { type FigureRange, seriesOf, spanOf } from '../../../src/core/operators/figures/figure.ts';
import { figureMemory, figureRollUp } from '../../../src/core/operators/figures/limits.ts';
import { countingEvents } from '../../../src/operations/figures/count-events.ts';
import { takeFirstLevels, takeLevels } from '../../../src/operations/figures/take-levels.ts';
import { insertInvoice } from '../../../src/storage/access/invoice.ts';
import { insertPackage } from '../../../src/storage/access/package.ts';
import { insertSubscription, moveSubscription } from '../../../src/storage/access/subscription.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import { deleteAuditEvents, insertAuditEvent } from '../../../src/storage/operators/audit-event.ts';
import { readFigures } from '../../../src/storage/operators/figure.ts';
import type { Store } from '../../../src/storage/store.ts';
import { forgottenByTime } from '../../../src/storage/sweep/forgotten.ts';
import { type Pace, sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { invoiceRecord, packageFacts, storedSubscription } from '../../support/records/access-records.ts';
import { day, hour, memberRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const unhurried = { pause: () => Promise.resolve(), isOver: () => false };
/** Noon of a Thursday. */
const now = Date.UTC(2026, 0, 15, 12);

/** Counts as a process does that shares its database or not: after a minute, what was there before it. */
function counting(store: Store) {
  const count = countingEvents(store);
  let at = now;
  return async (pace: Pace = unhurried) => {
    for (let times = store.isShared ? 2 : 1; times > 0; times -= 1) {
      at += figureRollUp.every;
      await count(at, pace);
    }
  };
}

const happened = (store: Store, event: AuditEventName, at: number, result: 'done' | 'refused' = 'done') =>
  store.transaction((tx) =>
    insertAuditEvent(tx, {
      at,
      tenantId: 'tenant-a',
      event,
      actorKind: 'nobody',
      actorId: null,
      target: null,
      clientId: null,
      address: null,
      result,
      reason: null,
    }),
  );

/** All figures of tenant a over a range, by their names. */
async function figuresOf(store: Store, range: FigureRange, at = now, tenantId = 'tenant-a') {
  const span = spanOf(range, at);
  const points = await store.transaction((tx) => readFigures(tx, tenantId, span));
  return Object.fromEntries(
    seriesOf(points, span).map(({ name, currency, ...series }) => [currency ?? name, series]),
  );
}

describe('what happened', () => {
  it('is counted once, by hours and days, however often and in however many pieces it is rolled up', async () => {
    const store = await storeWithMember();
    const yesterday = now - day;
    for (const at of [yesterday, yesterday + 1, now - hour, now - 2 * hour, now - 40 * day]) {
      await happened(store, 'sign_in', at);
    }
    await happened(store, 'token_refreshed', now - hour);
    await happened(store, 'sign_in_refused', now - hour, 'refused');
    await happened(store, 'device_redeemed', now - hour);
    const count = counting(store);
    for (let times = 0; times < 3; times += 1) await count();

    const month = await figuresOf(store, '30d');
    expect(month.signInsByPassword).toMatchObject({ total: 4, whole: 2, before: 1 });
    expect(month.signInsByPassword?.points.slice(-2)).toEqual([2, 2]);
    expect(month.signInsByTv?.total).toBe(1);
    expect(month.requestsRefused?.total).toBe(1);
    expect((await figuresOf(store, '24h')).signInsByPassword?.points.slice(-3)).toEqual([1, 1, 0]);
    expect((await figuresOf(store, '52w')).signInsByPassword?.total).toBe(5);
    expect((await figuresOf(store, '52w', now, 'tenant-b')).signInsByPassword?.total).toBe(0);
    await happened(store, 'sign_in', now);
    await count();
    expect((await figuresOf(store, '24h')).signInsByPassword?.points.slice(-3)).toEqual([1, 1, 1]);
  });

  it('is counted in bites, and goes on after one that was cut off', async () => {
    const store = await storeWithMember();
    const rows = Array.from({ length: 2.5 * figureRollUp.bite }, (_, index) => ({
      at: now - hour - index,
      tenantId: 'tenant-a',
      event: index % 2 === 0 ? ('sign_in' as const) : ('token_refreshed' as const),
      actorKind: 'nobody' as const,
      result: 'done' as const,
    }));
    await store.transaction(async (tx) => {
      for (let first = 0; first < rows.length; first += 500) {
        await tx
          .insertInto('auditEvents')
          .values(rows.slice(first, first + 500).map((row) => ({ ...row, address: null }) as never))
          .execute();
      }
    });
    const count = counting(store);
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    await count({ pause, isOver: () => pauses >= 2 });
    expect((await figuresOf(store, '30d')).signInsByPassword?.total).toBe(figureRollUp.bite);
    await count();
    expect((await figuresOf(store, '30d')).signInsByPassword?.total).toBe(1.25 * figureRollUp.bite);
  });

  it('is counted on when all events were deleted and their ids begin anew, and when the clock went back', async () => {
    const store = await storeWithMember();
    const count = counting(store);
    for (let times = 0; times < 3; times += 1) await happened(store, 'sign_in', now - 2 * hour);
    await count();
    await store.transaction((tx) => deleteAuditEvents(tx, 'others', now, 10));
    await count();
    await happened(store, 'sign_in', now - 3 * hour);
    await count();
    expect((await figuresOf(store, '24h')).signInsByPassword?.points.slice(-4)).toEqual([1, 3, 0, 0]);
  });
});

describe('what there is', () => {
  async function storeWithSubscriptions() {
    const store = await storeWithMember();
    const subscription = storedSubscription({ createdAt: 0, customPropertyValues: {} });
    await store.transaction(async (tx) => {
      const yearly = { price: { amount: 120_000, currency: 'NOK' }, renews: true } as const;
      const packageId = await insertPackage(
        tx,
        'tenant-a',
        packageFacts({ ...yearly, period: { unit: 'year', count: 1 } }),
        [],
      );
      const insert = (subscriptionId: number, activatedAt: number, expiresAt: number, more = {}) =>
        insertSubscription(tx, {
          ...subscription,
          packageId,
          subscriptionId,
          activatedAt,
          expiresAt,
          ...more,
        });
      await insert(1, now - 100 * day, now + day);
      await insert(2, now - 20 * day, now - 10 * day);
      await insert(3, now - 5 * day, now + 25 * day, { cancelledAt: now - day });
      await insert(4, now + day, now + 31 * day);
      await insertMember(tx, memberRecord({ id: 'member-2', tenantId: 'tenant-b', email: 'b@b.test' }), '');
    });
    return { store, subscription };
  }

  it('is known of two years at once, from the times of what is there', async () => {
    const { store } = await storeWithSubscriptions();
    await takeLevels(store, now, unhurried);
    const { subscriptions, subscriptionsBegun, subscriptionsEnded, NOK, members } = await figuresOf(
      store,
      '30d',
    );
    const days = [0, 9, 10, 19, 20, 24, 25, 28, 29].map((index) => subscriptions?.points[index]);
    expect(days).toEqual([1, 2, 2, 1, 1, 2, 2, 2, 2]);
    expect(subscriptions).toMatchObject({ total: 2, before: 1 });
    expect(subscriptionsBegun).toMatchObject({ total: 2 });
    expect(subscriptionsEnded).toMatchObject({ total: 1 });
    // 1,200 kroner a year are 100 a month; one that is cancelled brings no more.
    expect(NOK).toMatchObject({ total: 10_000, before: 10_000 });
    expect(NOK?.points.slice(-3)).toEqual([20_000, 10_000, 10_000]);
    expect(members?.total).toBe(1);
    expect((await figuresOf(store, '52w')).subscriptions?.points.at(-15)).toBe(1);
    expect((await figuresOf(store, '52w')).subscriptions?.points.at(-17)).toBe(0);
  });

  it('pages 21: has overdue invoices from when they were due until they are paid', async () => {
    const { store } = await storeWithSubscriptions();
    const invoice = (number: number, dueAt: number, paidAt: number | null) => {
      const facts = { id: `invoice-${number}`, number, tenantId: 'tenant-a', memberId: 'member-1' };
      return invoiceRecord({ ...facts, subscriptionId: 1, dueAt, paidAt });
    };
    await store.transaction(async (tx) => {
      await insertInvoice(tx, invoice(1, now - 20 * day, now - 10 * day));
      await insertInvoice(tx, invoice(2, now - 5 * day, null));
      await insertInvoice(tx, invoice(3, now - 5 * day, now - 6 * day));
      await insertInvoice(tx, invoice(4, now + day, null));
    });
    await takeLevels(store, now, unhurried);
    const { overdueInvoices } = await figuresOf(store, '30d');
    expect([8, 9, 18, 19, 23, 24, 29].map((index) => overdueInvoices?.points[index])).toEqual([
      0, 1, 1, 0, 0, 1, 1,
    ]);
    expect(overdueInvoices?.total).toBe(1);
  });

  it('is taken for the first time when the service starts, and by no later start', async () => {
    const store = await storeWithMember();
    await takeFirstLevels(store, now, unhurried);
    expect((await figuresOf(store, '30d')).members?.total).toBe(1);
    await store.transaction((tx) =>
      insertMember(
        tx,
        memberRecord({ id: 'second', email: 'second@example.com', memberNumber: 2, userId: 2 }),
        '',
      ),
    );
    await takeFirstLevels(store, now + hour, unhurried);
    expect((await figuresOf(store, '30d')).members?.total).toBe(1);
  });

  it('is taken again as it is now, without a gap since it was taken last', async () => {
    const { store, subscription } = await storeWithSubscriptions();
    await takeLevels(store, now, unhurried);
    const later = now + 3 * day;
    await store.transaction((tx) =>
      moveSubscription(tx, {
        write: 'moveSubscription',
        from: 'active',
        by: 'end',
        subscription: {
          ...subscription,
          subscriptionId: 3,
          activatedAt: now - 5 * day,
          expiresAt: now + 25 * day,
          endedAt: now + hour,
          state: 'ended',
        },
      }),
    );
    await takeLevels(store, later, unhurried);
    await takeLevels(store, later, unhurried);
    // The first one ended in its time, the third was ended, the fourth began.
    const { subscriptions, subscriptionsEnded } = await figuresOf(store, '30d', later);
    expect(subscriptions?.points.slice(-4)).toEqual([1, 1, 1, 1]);
    expect(subscriptionsEnded?.points.slice(-4)).toEqual([1, 1, 0, 0]);
  });

  it('goes on over a missing day, and is zero before it began', async () => {
    const span = spanOf('30d', now);
    const points = [
      { name: 'members', step: 40, value: 7 },
      { name: 'signUps', step: 40, value: 7 },
    ];
    const named = new Map(seriesOf(points, span).map((series) => [series.name, series]));
    expect(named.get('members')?.points.slice(9, 12)).toEqual([0, 7, 7]);
    expect(named.get('members')?.total).toBe(7);
    expect(named.get('signUps')?.points.slice(9, 12)).toEqual([0, 7, 0]);
  });
});

it('figures are forgotten after their time: those of hours after days, those of days after years', async () => {
  const store = await storeWithMember();
  await store.transaction(async (tx) => {
    const figure = { tenantId: 'tenant-a', name: 'orders', value: 1 } as const;
    await tx
      .insertInto('figures')
      .values([
        { ...figure, unit: 'hour', at: now - figureMemory.hour - 1 },
        { ...figure, unit: 'hour', at: now - figureMemory.hour },
        { ...figure, unit: 'day', at: now - figureMemory.day - 1 },
        { ...figure, unit: 'day', at: now - figureMemory.day },
      ])
      .execute();
  });
  for (const sweep of forgottenByTime(['tenant-a'], now)) await sweepThrough(store, sweep);
  const left = await store.transaction((tx) =>
    tx.selectFrom('figures').select(['unit', 'at']).orderBy('unit').execute(),
  );
  expect(left).toEqual([
    { unit: 'day', at: now - figureMemory.day },
    { unit: 'hour', at: now - figureMemory.hour },
  ]);
});
