// Takes what there is at the end of each hour and day: members, subscriptions and what they bring, overdue invoices.
import { monthlyAmount } from '../../core/access/package.ts';
import { day, hour } from '../../core/limits.ts';
import { type FigureName, storedName } from '../../core/operators/figures/figure.ts';
import { figureMemory, figureRollUp } from '../../core/operators/figures/limits.ts';
import { createTally, type Steps, type Tally } from '../../core/operators/figures/tally.ts';
import {
  lateInvoicesAfter,
  membersAfter,
  moveRolledUp,
  replaceFigures,
  rolledUpTo,
  subscriptionsAfter,
} from '../../storage/operators/figure.ts';
import { fromFlag } from '../../storage/rows.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Pace } from '../../storage/sweep/sweep.ts';

type Tallies = (tenantId: string) => Tally;

/**
 * Walks over all members, subscriptions and late invoices, and counts how many there were at the end of each hour and day since it was
 * done last: their rows have the times. Done for the first time it knows two years at once, and after a time without
 * the service nothing is missing.
 *
 * @param now ms
 */
export async function takeLevels(store: Store, now: number, pace: Pace): Promise<void> {
  const last = await store.lookUp((tx) => rolledUpTo(tx, 'levels'));
  const steps = [stepsOf('hour', hour, last, now), stepsOf('day', day, last, now)];
  const tallies = new Map<string, Tally>();
  const tallyOf: Tallies = (tenantId) => {
    const tally = tallies.get(tenantId) ?? createTally(steps);
    tallies.set(tenantId, tally);
    return tally;
  };
  await walk(store, pace, '', async (tx, after) =>
    noteMembers(await membersAfter(tx, after, figureRollUp.bite), tallyOf),
  );
  await walk(store, pace, 0, async (tx, after) =>
    noteSubscriptions(await subscriptionsAfter(tx, after, figureRollUp.bite), tallyOf),
  );
  await walk(store, pace, '', async (tx, after) =>
    noteInvoices(await lateInvoicesAfter(tx, after, figureRollUp.bite), tallyOf),
  );
  for (const [tenantId, tally] of tallies) {
    const results = Map.groupBy(tally.results(), ({ unit }) => unit);
    for (const { unit, length, from } of steps) {
      const atOnce = figureRollUp.steps * length;
      for (let at = from; at <= now && !pace.isOver(); at += atOnce) {
        const time = { tenantId, unit, from: at, until: at + atOnce };
        const figures = (results.get(unit) ?? [])
          .filter((figure) => figure.at >= time.from && figure.at < time.until)
          .map((figure) => ({ tenantId, ...figure }));
        await store.transaction((tx) => replaceFigures(tx, time, figures));
        await pace.pause();
      }
    }
  }
  if (!pace.isOver()) await store.transaction((tx) => moveRolledUp(tx, { what: 'levels', until: now }, last));
}

/** The same where it was never done: until then there would seem to be nothing. @param now ms */
export async function takeFirstLevels(store: Store, now: number, pace: Pace): Promise<void> {
  if ((await store.lookUp((tx) => rolledUpTo(tx, 'levels'))) === 0) await takeLevels(store, now, pace);
}

/** The steps from the one in which it was done last; no more of them than are kept. */
function stepsOf(unit: Steps['unit'], length: number, last: number, now: number): Steps {
  const since = Math.max(Math.min(last, now), now - figureMemory[unit]);
  return { unit, length, from: since - (since % length), now };
}

/** Goes over all rows in bites. @param read reads those behind one; says which came last, and null at the end */
async function walk<Key>(
  store: Store,
  { pause, isOver }: Pace,
  first: Key,
  read: (tx: Tx, after: Key) => Promise<Key | null>,
): Promise<void> {
  let after: Key | null = first;
  while (after !== null && !isOver()) {
    const at: Key = after;
    after = await store.lookUp((tx) => read(tx, at));
    if (after !== null) await pause();
  }
}

type MemberTimes = Awaited<ReturnType<typeof membersAfter>>;

function noteMembers(members: MemberTimes, tallyOf: Tallies): string | null {
  for (const { tenantId, createdAt, erasedAt } of members) {
    tallyOf(tenantId).there('members' satisfies FigureName, createdAt, erasedAt ?? never);
  }
  return members.length < figureRollUp.bite ? null : (members.at(-1)?.id ?? null);
}

const never = Number.MAX_SAFE_INTEGER;

type InvoiceTimes = Awaited<ReturnType<typeof lateInvoicesAfter>>;

function noteInvoices(invoices: InvoiceTimes, tallyOf: Tallies): string | null {
  for (const { tenantId, dueAt, paidAt } of invoices) {
    tallyOf(tenantId).there('overdueInvoices' satisfies FigureName, dueAt, paidAt ?? never);
  }
  return invoices.length < figureRollUp.bite ? null : (invoices.at(-1)?.id ?? null);
}

type SubscriptionTimes = Awaited<ReturnType<typeof subscriptionsAfter>>;

function noteSubscriptions(subscriptions: SubscriptionTimes, tallyOf: Tallies): number | null {
  for (const subscription of subscriptions) {
    const { tenantId, createdAt, activatedAt, expiresAt, cancelledAt, endedAt } = subscription;
    if (activatedAt === null || expiresAt === null) continue;
    // The same rule as `isActive`.
    const since = Math.max(createdAt, activatedAt);
    const until = Math.min(expiresAt, endedAt ?? never);
    if (until <= since) continue;
    const tally = tallyOf(tenantId);
    tally.there('subscriptions' satisfies FigureName, since, until);
    tally.happened('subscriptionsBegun' satisfies FigureName, since);
    tally.happened('subscriptionsEnded' satisfies FigureName, until);
    const { price, currency, periodUnit, periodCount, renews } = subscription;
    if (price === 0 || !fromFlag(renews)) continue;
    const amount = monthlyAmount(price, { unit: periodUnit, count: periodCount });
    // A cancelled subscription is not renewed, so it brings nothing any more.
    tally.there(storedName('recurring', currency), since, Math.min(until, cancelledAt ?? never), amount);
  }
  return subscriptions.length < figureRollUp.bite ? null : (subscriptions.at(-1)?.id ?? null);
}
