import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activateSubscription,
  beginSubscription,
  cancelSubscription,
  endSubscription,
  isActive,
  renewSubscription,
  resumeSubscription,
  type Subscription,
  type SubscriptionWrite,
  standingOf,
  subscriptionMachine,
} from '../../../src/core/access/subscription.ts';
import type { Decision } from '../../../src/core/decision.ts';
import { noRecords, type Records, written } from '../../support/machines/memory.ts';
import { broken, type Events, type Visit, walk } from '../../support/machines/walk.ts';
import { day, now } from '../../support/records/records.ts';

/** One subscription, as it is stored. */
interface World {
  readonly now: number;
  readonly records: Records;
  /** What the last change was answered. */
  readonly answer: boolean | null;
}

const week = { unit: 'week', count: 1 } as const;

const beginning = (activatedAt: number | null, expiresAt: number | null): World => {
  const subscription = beginSubscription(
    {
      subscriptionId: 1,
      tenantId: 'tenant-a',
      memberId: 'member-1',
      packageId: 7,
      activatedAt,
      expiresAt,
      customPropertyValues: {},
    },
    now,
  );
  const records = written(noRecords, [{ write: 'insertSubscription', subscription }]);
  return { now, records, answer: null };
};

const beginnings = {
  'waits for a payment': beginning(null, null),
  'begins tomorrow': beginning(now + day, now + 8 * day),
  'begins at once': beginning(now, now + 7 * day),
  'was dated back': beginning(now - 3 * day, now + 4 * day),
};

function subscriptionOf({ records }: World): Subscription {
  const subscription = records.subscriptions['1'];
  if (subscription === undefined) throw new Error('no subscription');
  return subscription;
}

const changing =
  (change: (subscription: Subscription, at: number) => Decision<boolean, SubscriptionWrite>) =>
  (world: World): World => {
    const { answer, writes } = change(subscriptionOf(world), world.now);
    return { ...world, records: written(world.records, writes), answer };
  };

const passing =
  (time: number) =>
  (world: World): World => ({ ...world, now: world.now + time, answer: null });

const events: Events<World> = {
  activate: changing((subscription, at) => activateSubscription(subscription, week, at)),
  renew: changing((subscription, at) => renewSubscription(subscription, week, at)),
  cancel: changing(cancelSubscription),
  resume: changing(resumeSubscription),
  end: changing(endSubscription),
  'a day passes': passing(day),
  'a week passes': passing(7 * day),
};

const visits = Object.entries(beginnings).flatMap(([name, start]) =>
  walk(start, events, 4).map((visit) => ({ ...visit, path: `${name}; ${visit.path}` })),
);

const isOpen = (world: World, at: number) =>
  ['active', 'cancelled'].includes(standingOf(subscriptionOf(world), at));

/** Moments from now on at which something of this subscription can change, and the last before each. */
function momentsOf(world: World): readonly number[] {
  const { activatedAt, expiresAt, endedAt } = subscriptionOf(world);
  return [world.now, activatedAt, expiresAt, endedAt]
    .flatMap((at) => (at === null ? [] : [at - 1, at]))
    .filter((at) => at >= world.now);
}

const stateBefore = ({ before }: Visit<World>) => standingOf(subscriptionOf(before), before.now);

const rules: Record<string, (visit: Visit<World>) => boolean> = {
  'it gives access exactly while it is active or cancelled, now and at every later moment': (visit) => {
    const { before, after } = visit;
    if (after.now === before.now && subscriptionOf(after) === subscriptionOf(before)) return true;
    return momentsOf(after).every((at) => isActive(subscriptionOf(after), at) === isOpen(after, at));
  },
  'nothing leaves expired or ended, and neither gives access again': (visit) => {
    const { before, after } = visit;
    const state = stateBefore(visit);
    if (state !== 'expired' && state !== 'ended') return true;
    const [was, is] = [subscriptionOf(before), subscriptionOf(after)];
    return (
      isDeepStrictEqual(is, { ...was, state: is.state }) &&
      standingOf(subscriptionOf(after), after.now) === state &&
      momentsOf(after).every((at) => !isActive(subscriptionOf(after), at))
    );
  },
  'from its end on it gives no access, whatever its window': ({ after }) => {
    const { endedAt, expiresAt } = subscriptionOf(after);
    return (
      endedAt === null ||
      [endedAt, endedAt + 1, expiresAt ?? endedAt].every((at) => !isActive(subscriptionOf(after), at))
    );
  },
  'it has an end before its time exactly if it was ended, and a cancellation if it is cancelled': ({
    after,
  }) => {
    const { state, cancelledAt, endedAt } = subscriptionOf(after);
    return (state === 'ended') === (endedAt !== null) && (state !== 'cancelled' || cancelledAt !== null);
  },
  'only an activation, a renewal or an end changes its window': ({ event, before, after }) => {
    if (['activate', 'renew', 'end'].includes(event)) return true;
    // Nothing of what waits was used, so its cancellation is an end.
    if (event === 'cancel' && subscriptionOf(after).endedAt === before.now) return true;
    const [was, is] = [subscriptionOf(before), subscriptionOf(after)];
    return was.activatedAt === is.activatedAt && was.expiresAt === is.expiresAt && was.endedAt === is.endedAt;
  },
  'a renewal adds one period to a subscription that runs and is not cancelled, and to no other': (visit) => {
    if (visit.event !== 'renew') return true;
    const [was, is] = [subscriptionOf(visit.before), subscriptionOf(visit.after)];
    if (stateBefore(visit) !== 'active')
      return visit.after.answer === false && is.expiresAt === was.expiresAt;
    return visit.after.answer === true && is.expiresAt === (was.expiresAt ?? 0) + 7 * day;
  },
  'a cancellation takes nothing away of what is paid for': (visit) =>
    visit.event !== 'cancel' ||
    stateBefore(visit) === 'pending' ||
    momentsOf(visit.after).every((at) => isOpen(visit.before, at) === isOpen(visit.after, at)),
  'what is answered with yes is as asked for': (visit) => {
    const { event, after } = visit;
    if (after.answer !== true) return true;
    const state = standingOf(subscriptionOf(after), after.now);
    const wanted: Record<string, readonly string[]> = {
      activate: ['active', 'cancelled'],
      renew: ['active'],
      cancel: ['cancelled', 'ended'],
      resume: ['active', 'pending'],
      end: ['ended', 'expired'],
    };
    return wanted[event]?.includes(state) === true;
  },
  'what is asked for again changes nothing more': ({ event, after }) => {
    const again = events[event]?.(after);
    if (event.endsWith('passes') || event === 'renew' || again === undefined) return true;
    return subscriptionOf(again) === subscriptionOf(after);
  },
};

describe('every history of one subscription, four events long', () => {
  it.each(Object.entries(rules))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });

  it('meets every state of the machine', () => {
    const met = new Set(visits.flatMap(({ after }) => subscriptionOf(after).state));
    expect([...met].sort()).toEqual([...subscriptionMachine.states.keys()].sort());
  });
});

describe('any history of a subscription', () => {
  const happening = fc.record({
    event: fc.constantFrom('activate', 'renew', 'cancel', 'resume', 'end'),
    after: fc.integer({ min: 0, max: 20 * day }),
  });
  const from = fc.option(fc.integer({ min: now - 30 * day, max: now + 30 * day }));
  const length = fc.integer({ min: 1, max: 40 * day });
  const later = fc.array(fc.integer({ min: 0, max: 200 * day }), { minLength: 1, maxLength: 10 });

  it('gives access at a moment exactly if its state then is active or cancelled', () => {
    fc.assert(
      fc.property(
        from,
        length,
        fc.array(happening, { maxLength: 12 }),
        later,
        (begin, long, history, moments) => {
          let world = beginning(begin, begin === null ? null : begin + long);
          for (const { event, after } of history) {
            world = events[event]?.(passing(after)(world)) ?? world;
            for (const at of [...momentsOf(world), ...moments.map((ms) => world.now + ms)]) {
              expect([at, isActive(subscriptionOf(world), at)]).toEqual([at, isOpen(world, at)]);
            }
          }
        },
      ),
    );
  });
});
