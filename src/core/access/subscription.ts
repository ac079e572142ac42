/**
 * A member's subscription to a package. The clock decides whether it gives access, not a job: between
 * `activatedAt` and `expiresAt` it does, unless it was ended before (decision 20). The stored state is what
 * was last written; `look` says what it is now.
 */
import type { Decision } from '../decision.ts';
import { machineOf, type StateOf, step } from '../machine.ts';
import type { CustomPropertyValues } from './custom-property.ts';
import { endOfNextPeriod, endOfPeriod, type Period, type Price, type Product } from './package.ts';

export type SubscriptionState = StateOf<typeof subscriptionMachine>;

/** A stored subscription. Times are ms since the epoch. */
export interface Subscription {
  readonly subscriptionId: number;
  readonly tenantId: string;
  readonly memberId: string;
  readonly packageId: number;
  readonly state: SubscriptionState;
  readonly createdAt: number;
  /** When it begins to give access; null while it waits for a payment. */
  readonly activatedAt: number | null;
  /** When it stops to give access, unless it is renewed; null while it waits for a payment. */
  readonly expiresAt: number | null;
  /** When its renewal was cancelled. */
  readonly cancelledAt: number | null;
  /** When it was ended before its time. */
  readonly endedAt: number | null;
  readonly customPropertyValues: CustomPropertyValues;
}

/** A subscription with the package it is for, as profiles and pages show it. */
export interface MemberSubscription extends Subscription {
  readonly packageName: string;
  readonly products: readonly Product[];
  /** What the package costs by now, and for how long. */
  readonly price: Price;
  readonly period: Period;
  /** Whether the operator renews it until it is cancelled. */
  readonly renews: boolean;
}

/**
 * Whether a subscription gives access at a moment, in the past as well (contract; decision 20). One that an
 * operator dated back did not open anything before it was there.
 */
export function isActive(
  {
    createdAt,
    activatedAt,
    expiresAt,
    endedAt,
  }: Pick<Subscription, 'createdAt' | 'activatedAt' | 'expiresAt' | 'endedAt'>,
  at: number,
): boolean {
  if (activatedAt === null || expiresAt === null) return false;
  return createdAt <= at && activatedAt <= at && at < expiresAt && (endedAt === null || at < endedAt);
}

export const subscriptionMachine = machineOf({
  id: 'subscription',
  context: {} as { activatedAt: number | null; expiresAt: number | null },
  event: {} as { type: 'look'; now: number } | { type: 'activate' | 'renew' | 'cancel' | 'resume' | 'end' },
  conditions: {
    'its time is over': ({ context, event }) =>
      event.type === 'look' && context.expiresAt !== null && event.now >= context.expiresAt,
    'its time has come': ({ context, event }) =>
      event.type === 'look' && context.activatedAt !== null && event.now >= context.activatedAt,
  },
  lines: [
    ['pending', 'look', 'its time is over', 'expired', 'settle'],
    ['pending', 'look', 'its time has come', 'active', 'settle'],
    ['pending', 'look', '–', '–', 'ignore'],
    ['pending', 'activate', '–', 'active', 'recordActivation'],
    ['pending', 'renew', '–', '–', 'refuse'],
    // Nothing of it was used yet, so there is no period whose end it could wait for.
    ['pending', 'cancel', '–', 'ended', 'recordEnd'],
    ['pending', 'resume', '–', '–', 'ignore'],
    ['pending', 'end', '–', 'ended', 'recordEnd'],
    ['active', 'look', 'its time is over', 'expired', 'settle'],
    ['active', ['look', 'activate'], '–', '–', 'ignore'],
    ['active', 'renew', '–', '–', 'recordRenewal'],
    ['active', 'cancel', '–', 'cancelled', 'recordCancellation'],
    ['active', 'resume', '–', '–', 'ignore'],
    ['active', 'end', '–', 'ended', 'recordEnd'],
    ['cancelled', 'look', 'its time is over', 'expired', 'settle'],
    ['cancelled', ['look', 'activate'], '–', '–', 'ignore'],
    ['cancelled', 'renew', '–', '–', 'refuse'],
    ['cancelled', 'cancel', '–', '–', 'ignore'],
    ['cancelled', 'resume', '–', 'active', 'recordResumption'],
    ['cancelled', 'end', '–', 'ended', 'recordEnd'],
    // What is over does not come back.
    [['expired', 'ended'], 'look', '–', '–', 'ignore'],
    [['expired', 'ended'], ['activate', 'renew', 'cancel', 'resume'], '–', '–', 'refuse'],
    [['expired', 'ended'], 'end', '–', '–', 'ignore'],
  ],
});

type SubscriptionEvent = 'look' | 'activate' | 'renew' | 'cancel' | 'resume' | 'end';

export type SubscriptionWrite =
  | { readonly write: 'insertSubscription'; readonly subscription: Subscription }
  | {
      readonly write: 'moveSubscription';
      readonly from: SubscriptionState;
      /** What moved it. */
      readonly by: SubscriptionEvent;
      readonly subscription: Subscription;
    };

/** A decided change, whose answer is whether the subscription is as the caller asked. */
type Change = Decision<boolean, SubscriptionWrite>;

/** What begins a subscription. */
type SubscriptionFacts = Omit<Subscription, 'state' | 'createdAt' | 'cancelledAt' | 'endedAt'>;

/**
 * A subscription as it begins; whether its time has come already, or is over, the clock says.
 *
 * @param createdAt since when it counts, which may be long ago where it is brought along
 */
export function beginSubscription(
  facts: SubscriptionFacts,
  createdAt: number,
  now: number = createdAt,
): Subscription {
  const waiting = { ...facts, state: 'pending', createdAt, cancelledAt: null, endedAt: null } as const;
  return { ...waiting, state: standingOf(waiting, now) };
}

/** Writes down what the clock has done to a subscription: once, however often it is looked at. */
export function settleSubscription(subscription: Subscription, now: number): readonly SubscriptionWrite[] {
  const state = standingOf(subscription, now);
  return state === subscription.state ? [] : moveTo(subscription, { ...subscription, state }, 'look');
}

/** What state a subscription is in at this moment, whatever was last written of it. */
export function standingOf(subscription: Subscription, now: number): SubscriptionState {
  return step(subscriptionMachine, subscription.state, subscription, { type: 'look', now }).state;
}

/** Whether a subscription that was written down as this is over for good. */
export const isOver = (state: SubscriptionState): boolean => state === 'expired' || state === 'ended';

/**
 * Activates a subscription that waited, for a payment or for its day: it runs from now on for one period.
 *
 * @returns whether it is active now, or was before
 */
export function activateSubscription(subscription: Subscription, period: Period, now: number): Change {
  return decide(subscription, 'activate', now, { activatedAt: now, expiresAt: endOfPeriod(now, period) });
}

/** Renews a subscription by one period, which follows the running one without a gap. */
export function renewSubscription(subscription: Subscription, period: Period, now: number): Change {
  return decide(subscription, 'renew', now, {
    expiresAt: endOfNextPeriod(subscription.activatedAt ?? now, subscription.expiresAt ?? now, period),
  });
}

/** Cancels the renewal: a running subscription goes on until its period ends, one that waits ends at once. */
export function cancelSubscription(subscription: Subscription, now: number): Change {
  return decide(subscription, 'cancel', now, {});
}

/** Takes a cancellation back while the period runs. */
export function resumeSubscription(subscription: Subscription, now: number): Change {
  return decide(subscription, 'resume', now, { cancelledAt: null });
}

/** Ends a subscription at once. */
export function endSubscription(subscription: Subscription, now: number): Change {
  return decide(subscription, 'end', now, {});
}

/** Moves the subscription by the clock first, then by the event; a refused event leaves the state that the clock gave. */
function decide(
  subscription: Subscription,
  type: Exclude<SubscriptionEvent, 'look'>,
  now: number,
  changes: Partial<Subscription>,
): Change {
  const standing = standingOf(subscription, now);
  const { state, outcome } = step(subscriptionMachine, standing, subscription, { type });
  const next = { ...subscription, state };
  const changed = (more: Partial<Subscription> = {}): Change => ({
    answer: true,
    writes: moveTo(subscription, { ...next, ...changes, ...more }, type),
  });
  switch (outcome) {
    case 'refuse':
    case 'ignore':
      return {
        answer: outcome === 'ignore',
        writes: subscription.state === state ? [] : moveTo(subscription, next, type),
      };
    case 'recordActivation':
    case 'recordRenewal':
    case 'recordResumption':
      return changed();
    case 'recordCancellation':
      return changed({ cancelledAt: now });
    case 'recordEnd':
      return changed({ endedAt: now });
  }
}

const moveTo = (
  from: Subscription,
  subscription: Subscription,
  by: SubscriptionEvent,
): readonly SubscriptionWrite[] => [{ write: 'moveSubscription', from: from.state, by, subscription }];
