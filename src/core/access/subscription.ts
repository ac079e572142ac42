/**
 * A member's subscription to a package. The clock decides whether it gives access, not a job: between
 * `activatedAt` and `expiresAt` it does, unless it was ended before (decision 20). The stored state is what
 * was last written; `look` says what it is now.
 *
 * | state | event | condition | next state | outcome |
 * |---|---|---|---|---|
 * | pending | look | its time is over | expired | settle |
 * | pending | look | its time has come | active | settle |
 * | pending | look | – | pending | ignore |
 * | pending | activate | – | active | recordActivation |
 * | pending | renew | – | pending | refuse |
 * | pending | cancel | – | ended | recordEnd |
 * | pending | resume | – | pending | ignore |
 * | pending | end | – | ended | recordEnd |
 * | active | look | its time is over | expired | settle |
 * | active | look | – | active | ignore |
 * | active | activate | – | active | ignore |
 * | active | renew | – | active | recordRenewal |
 * | active | cancel | – | cancelled | recordCancellation |
 * | active | resume | – | active | ignore |
 * | active | end | – | ended | recordEnd |
 * | cancelled | look | its time is over | expired | settle |
 * | cancelled | look | – | cancelled | ignore |
 * | cancelled | activate | – | cancelled | ignore |
 * | cancelled | renew | – | cancelled | refuse |
 * | cancelled | cancel | – | cancelled | ignore |
 * | cancelled | resume | – | active | recordResumption |
 * | cancelled | end | – | ended | recordEnd |
 * | expired | look | – | expired | ignore |
 * | expired | activate | – | expired | refuse |
 * | expired | renew | – | expired | refuse |
 * | expired | cancel | – | expired | refuse |
 * | expired | resume | – | expired | refuse |
 * | expired | end | – | expired | ignore |
 * | ended | look | – | ended | ignore |
 * | ended | activate | – | ended | refuse |
 * | ended | renew | – | ended | refuse |
 * | ended | cancel | – | ended | refuse |
 * | ended | resume | – | ended | refuse |
 * | ended | end | – | ended | ignore |
 */
import { setup } from 'xstate';
import type { Decision } from '../decision.ts';
import { impossible, outcomes, type StateOf, step } from '../machine.ts';
import type { CustomPropertyValues } from './custom-property.ts';
import { endOfNextPeriod, endOfPeriod, type Period, type Product } from './package.ts';

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

/** What is over does not come back. */
const refusals = {
  look: { actions: 'ignore' },
  activate: { actions: 'refuse' },
  renew: { actions: 'refuse' },
  cancel: { actions: 'refuse' },
  resume: { actions: 'refuse' },
  end: { actions: 'ignore' },
} as const;

export const subscriptionMachine = setup({
  types: {
    context: {} as { activatedAt: number | null; expiresAt: number | null },
    events: {} as
      | { type: 'look'; now: number }
      | { type: 'activate' }
      | { type: 'renew' }
      | { type: 'cancel' }
      | { type: 'resume' }
      | { type: 'end' },
  },
  guards: {
    'its time is over': ({ context, event }) =>
      event.type === 'look' && context.expiresAt !== null && event.now >= context.expiresAt,
    'its time has come': ({ context, event }) =>
      event.type === 'look' && context.activatedAt !== null && event.now >= context.activatedAt,
  },
  actions: outcomes(
    'recordActivation',
    'recordRenewal',
    'recordCancellation',
    'recordResumption',
    'recordEnd',
    'ignore',
    'refuse',
    'settle',
  ),
}).createMachine({
  id: 'subscription',
  context: { activatedAt: null, expiresAt: null },
  initial: 'pending',
  states: {
    pending: {
      on: {
        look: [
          { guard: 'its time is over', target: 'expired', actions: 'settle' },
          { guard: 'its time has come', target: 'active', actions: 'settle' },
          { actions: 'ignore' },
        ],
        activate: { target: 'active', actions: 'recordActivation' },
        renew: { actions: 'refuse' },
        // Nothing of it was used yet, so there is no period whose end it could wait for.
        cancel: { target: 'ended', actions: 'recordEnd' },
        resume: { actions: 'ignore' },
        end: { target: 'ended', actions: 'recordEnd' },
      },
    },
    active: {
      on: {
        look: [{ guard: 'its time is over', target: 'expired', actions: 'settle' }, { actions: 'ignore' }],
        activate: { actions: 'ignore' },
        renew: { actions: 'recordRenewal' },
        cancel: { target: 'cancelled', actions: 'recordCancellation' },
        resume: { actions: 'ignore' },
        end: { target: 'ended', actions: 'recordEnd' },
      },
    },
    cancelled: {
      on: {
        look: [{ guard: 'its time is over', target: 'expired', actions: 'settle' }, { actions: 'ignore' }],
        activate: { actions: 'ignore' },
        renew: { actions: 'refuse' },
        cancel: { actions: 'ignore' },
        resume: { target: 'active', actions: 'recordResumption' },
        end: { target: 'ended', actions: 'recordEnd' },
      },
    },
    expired: { on: refusals },
    ended: { on: refusals },
  },
});

export type SubscriptionWrite =
  | { readonly write: 'insertSubscription'; readonly subscription: Subscription }
  | {
      readonly write: 'moveSubscription';
      readonly from: SubscriptionState;
      readonly subscription: Subscription;
    };

/** What becomes of a subscription. @returns whether it is as it was asked to be */
type Change = Decision<boolean, SubscriptionWrite>;

/** What begins a subscription. */
export type SubscriptionFacts = Pick<
  Subscription,
  | 'subscriptionId'
  | 'tenantId'
  | 'memberId'
  | 'packageId'
  | 'activatedAt'
  | 'expiresAt'
  | 'customPropertyValues'
>;

/** A subscription as it begins; whether its time has come already, the clock says. */
export function beginSubscription(facts: SubscriptionFacts, now: number): Subscription {
  return { ...facts, state: 'pending', createdAt: now, cancelledAt: null, endedAt: null };
}

/** What state a subscription is in at this moment, whatever was last written of it. */
export function standingOf(subscription: Subscription, now: number): SubscriptionState {
  return step(subscriptionMachine, subscription.state, subscription, { type: 'look', now }).state;
}

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

/** Lets the clock speak first, then the event; what is refused changes nothing but the state the clock gave. */
function decide(
  subscription: Subscription,
  type: 'activate' | 'renew' | 'cancel' | 'resume' | 'end',
  now: number,
  changes: Partial<Subscription>,
): Change {
  const standing = standingOf(subscription, now);
  const { state, outcome } = step(subscriptionMachine, standing, subscription, { type });
  const next = { ...subscription, state };
  const changed = (more: Partial<Subscription> = {}): Change => ({
    answer: true,
    writes: moveTo(subscription, { ...next, ...changes, ...more }),
  });
  switch (outcome) {
    case 'refuse':
    case 'ignore':
      return {
        answer: outcome === 'ignore',
        writes: subscription.state === state ? [] : moveTo(subscription, next),
      };
    case 'recordActivation':
    case 'recordRenewal':
    case 'recordResumption':
      return changed();
    case 'recordCancellation':
      return changed({ cancelledAt: now });
    case 'recordEnd':
      return changed({ endedAt: now });
    default:
      return impossible(outcome satisfies 'settle');
  }
}

const moveTo = (from: Subscription, subscription: Subscription): readonly SubscriptionWrite[] => [
  { write: 'moveSubscription', from: from.state, subscription },
];
