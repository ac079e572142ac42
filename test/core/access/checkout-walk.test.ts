import { describe, expect, it } from 'vitest';
import {
  beginCheckout,
  type Checkout,
  type Completion,
  type ConfirmAnswer,
  cancelCheckout,
  checkoutMachine,
  checkoutStanding,
  confirmCheckout,
  payCheckout,
} from '../../../src/core/access/checkout.ts';
import { endSubscription } from '../../../src/core/access/subscription.ts';
import type { Decision } from '../../../src/core/decision.ts';
import type { Write } from '../../../src/core/write.ts';
import { noRecords, type Records, written } from '../../support/machines/memory.ts';
import { broken, type Events, type Visit, walk } from '../../support/machines/walk.ts';
import { packageRecord } from '../../support/records/access-records.ts';
import { day, hour, now } from '../../support/records/records.ts';

/** A member with two checkouts for one package of a week: two tabs, one free or invoiced, one paid by card. */
interface World {
  readonly now: number;
  readonly records: Records;
  readonly answer: ConfirmAnswer['kind'] | boolean | null;
}

const offer = packageRecord({ period: { unit: 'week', count: 1 } });
const tabs = ['settled', 'card'] as const;

const begun = tabs.map((id) => {
  const addresses = { onCheckoutCompletedUrl: null, callBackUrl: null };
  const facts = { id, tenantId: 'tenant-a', memberId: 'member-1', reference: null, ...addresses };
  return [id, beginCheckout(facts, offer, now)] as const;
});
const start: World = {
  now,
  records: { ...noRecords, checkouts: Object.fromEntries(begun) },
  answer: null,
};

const checkoutsOf = ({ records }: World) => Object.values(records.checkouts);
const subscriptionsOf = ({ records }: World) => Object.values(records.subscriptions);

type Tab = (typeof tabs)[number];
function checkoutOf({ records }: World, tab: Tab): Checkout {
  const checkout = records.checkouts[tab];
  if (checkout === undefined) throw new Error('no checkout');
  return checkout;
}

const deciding =
  (
    tab: Tab,
    decide: (checkout: Checkout, completion: Completion) => Decision<ConfirmAnswer | boolean, Write>,
  ) =>
  (world: World): World => {
    const held = subscriptionsOf(world);
    const completion = { subscriptionId: held.length + 1, held, now: world.now };
    const { answer, writes } = decide(checkoutOf(world, tab), completion);
    const kind = typeof answer === 'boolean' ? answer : answer.kind;
    return { ...world, records: written(world.records, writes), answer: kind };
  };

const passing =
  (time: number) =>
  (world: World): World => ({ ...world, now: world.now + time, answer: null });

const confirming = (tab: Tab) =>
  deciding(tab, (checkout, completion) => confirmCheckout(checkout, tab === 'settled', completion));
const paying = (tab: Tab) =>
  deciding(tab, (checkout, completion) => payCheckout(checkout, `payment of ${tab}`, completion));
const cancelling = (tab: Tab) => deciding(tab, (checkout, { now: at }) => cancelCheckout(checkout, at));

const events: Events<World> = {
  'confirm settled': confirming('settled'),
  'confirm card': confirming('card'),
  'pay settled': paying('settled'),
  'pay card': paying('card'),
  'cancel settled': cancelling('settled'),
  'cancel card': cancelling('card'),
  'the first subscription ends': (world) => {
    const [first] = subscriptionsOf(world);
    if (first === undefined) return { ...world, answer: null };
    const { writes } = endSubscription(first, world.now);
    return { ...world, records: written(world.records, writes), answer: null };
  },
  'two hours pass': passing(2 * hour),
  'five days pass': passing(5 * day),
};

const visits = walk(start, events, 4);

/** Each checkout on both sides of an event. */
const pairsOf = ({ before, after }: Visit<World>) =>
  tabs.map((tab) => ({ tab, was: checkoutOf(before, tab), is: checkoutOf(after, tab) }));

const rules: Record<string, (visit: Visit<World>) => boolean> = {
  'decision 40: each completed checkout gave one subscription of its own, and no other gave any': ({
    after,
  }) => {
    const given = checkoutsOf(after).flatMap(({ subscriptionId }) => subscriptionId ?? []);
    const completed = checkoutsOf(after).filter(({ state }) => state === 'completed');
    const made = subscriptionsOf(after).map(({ subscriptionId }) => subscriptionId);
    return given.length === completed.length && String(given.sort()) === String(made.sort());
  },
  'nothing leaves completed: it stays as it was': (visit) =>
    pairsOf(visit).every(({ was, is }) => was.state !== 'completed' || is === was),
  'nothing but its payment leaves cancelled or expired': (visit) =>
    pairsOf(visit).every(({ tab, was, is }) => {
      if (visit.event === `pay ${tab}` || was.state === 'completed') return true;
      const standing = checkoutStanding(was, visit.before.now);
      return standing === 'open' || checkoutStanding(is, visit.after.now) === standing;
    }),
  'a payment always completes its checkout, whenever it comes': (visit) =>
    pairsOf(visit).every(
      ({ tab, is }) =>
        visit.event !== `pay ${tab}` || (is.state === 'completed' && visit.after.answer === 'completed'),
    ),
  'what is to be paid first is completed by its payment alone': (visit) =>
    checkoutOf(visit.after, 'card').state !== 'completed' ||
    checkoutOf(visit.before, 'card').state === 'completed' ||
    visit.event === 'pay card',
  'what is confirmed is completed, or nothing is written but that its time is over': (visit) =>
    !visit.event.startsWith('confirm') ||
    visit.after.answer === 'completed' ||
    (subscriptionsOf(visit.after).length === subscriptionsOf(visit.before).length &&
      pairsOf(visit).every(({ was, is }) => is.state === was.state || is.state === 'expired')),
  'a checkout was closed at a time exactly if it is completed or cancelled': ({ after }) =>
    checkoutsOf(after).every(
      ({ state, closedAt }) => (closedAt !== null) === (state === 'completed' || state === 'cancelled'),
    ),
  'a completion is answered as long as it is asked for, and a cancellation of it refused': ({
    before,
    after,
  }) =>
    tabs.every(
      (tab) =>
        checkoutOf(after, tab).state !== 'completed' ||
        checkoutOf(after, tab) === checkoutOf(before, tab) ||
        (confirming(tab)(after).answer === 'completed' && cancelling(tab)(after).answer === false),
    ),
  'subscriptions to one package never run at once': ({ after }) => {
    const windows = subscriptionsOf(after).map(({ activatedAt, expiresAt, endedAt }) => ({
      from: activatedAt ?? 0,
      to: Math.min(expiresAt ?? 0, endedAt ?? Number.POSITIVE_INFINITY),
    }));
    return windows.every((one) =>
      windows.every((other) => one === other || one.to <= other.from || other.to <= one.from),
    );
  },
  'each gives the whole period that was offered': ({ after }) =>
    subscriptionsOf(after).every(
      ({ activatedAt, expiresAt }) => (expiresAt ?? 0) - (activatedAt ?? 0) === 7 * day,
    ),
};

describe('every history of two checkouts of one member, four events long', () => {
  it.each(Object.entries(rules))('%s', (_rule, holds) => {
    expect(broken(visits, holds)).toEqual([]);
  });

  it('meets every state of the machine, and every answer', () => {
    const states = new Set(visits.flatMap(({ after }) => checkoutsOf(after).map(({ state }) => state)));
    expect([...states].sort()).toEqual([...checkoutMachine.states.keys()].sort());
    const answers = new Set(visits.map(({ after }) => String(after.answer)));
    expect([...answers].sort()).toEqual(['completed', 'false', 'held', 'null', 'payment', 'refused', 'true']);
  });
});
