/**
 * A member on the way to a subscription: begun by a signed-in member, completed once however often that is
 * asked for (decision 40). A payment that arrives late is honoured: what was paid for is given.
 */
import type { Decision } from '../decision.ts';
import { machineOf, type StateOf, step } from '../machine.ts';
import { checkoutLifetime, referenceLength, returnAddressLength } from './limits.ts';
import { endOfPeriod, type Package, type Period, type Price } from './package.ts';
import { beginSubscription, isActive, type Subscription, type SubscriptionWrite } from './subscription.ts';

export type CheckoutState = StateOf<typeof checkoutMachine>;

/** A stored checkout. Times are ms since the epoch. */
export interface Checkout {
  readonly id: string;
  readonly tenantId: string;
  readonly memberId: string;
  readonly packageId: number;
  readonly state: CheckoutState;
  /** The offer as it was when the checkout began: what the member confirms is what the member saw. */
  readonly payment: string;
  readonly price: Price;
  readonly period: Period;
  /** Where the member came from, such as an article; text for the operator, never a link (K8). */
  readonly reference: string | null;
  readonly onCheckoutCompletedUrl: string | null;
  readonly callBackUrl: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it was completed or cancelled. */
  readonly closedAt: number | null;
  /** What the payment is called where it was made. */
  readonly paymentReference: string | null;
  readonly subscriptionId: number | null;
}

export const checkoutMachine = machineOf({
  id: 'checkout',
  context: {} as { expiresAt: number },
  event: {} as
    | { type: 'look'; now: number }
    | { type: 'confirm'; now: number; isSettled: boolean }
    | { type: 'pay' | 'cancel' },
  conditions: {
    'its time is over': ({ context, event }) => 'now' in event && event.now >= context.expiresAt,
    'nothing is to be paid first': ({ event }) => event.type === 'confirm' && event.isSettled,
  },
  lines: [
    ['open', 'look', 'its time is over', 'expired', 'settle'],
    ['open', 'look', '–', '–', 'ignore'],
    ['open', 'confirm', 'its time is over', 'expired', 'refuse'],
    ['open', 'confirm', 'nothing is to be paid first', 'completed', 'giveSubscription'],
    ['open', 'confirm', '–', '–', 'askForPayment'],
    ['open', 'pay', '–', 'completed', 'giveSubscription'],
    ['open', 'cancel', '–', 'cancelled', 'recordCancellation'],
    ['completed', ['look', 'confirm', 'pay'], '–', '–', 'ignore'],
    ['completed', 'cancel', '–', '–', 'refuse'],
    [['cancelled', 'expired'], 'look', '–', '–', 'ignore'],
    [['cancelled', 'expired'], 'confirm', '–', '–', 'refuse'],
    [['cancelled', 'expired'], 'pay', '–', 'completed', 'giveSubscription'],
    [['cancelled', 'expired'], 'cancel', '–', '–', 'ignore'],
  ],
});

export type CheckoutWrite =
  | { readonly write: 'insertCheckout'; readonly checkout: Checkout }
  | { readonly write: 'moveCheckout'; readonly from: CheckoutState; readonly checkout: Checkout };

/** What begins a checkout; the offer is the package's at this moment. */
export type CheckoutFacts = Pick<
  Checkout,
  'id' | 'tenantId' | 'memberId' | 'reference' | 'onCheckoutCompletedUrl' | 'callBackUrl'
>;

export function beginCheckout(facts: CheckoutFacts, offer: Package, now: number): Checkout {
  const { id: packageId, payment, price, period } = offer;
  return {
    ...facts,
    packageId,
    payment,
    price,
    period,
    state: 'open',
    createdAt: now,
    expiresAt: now + checkoutLifetime,
    closedAt: null,
    paymentReference: null,
    subscriptionId: null,
  };
}

/** What state a checkout is in at this moment, whatever was last written of it. */
export function checkoutStanding(checkout: Checkout, now: number): CheckoutState {
  return step(checkoutMachine, checkout.state, checkout, { type: 'look', now }).state;
}

/** What completes a checkout, with the id that the subscription will have. */
export interface Completion {
  readonly subscriptionId: number;
  /** The member's subscriptions so far: a second one to the same package follows the first. */
  readonly held: readonly Subscription[];
  readonly now: number;
}

export type ConfirmAnswer =
  /** It is completed, now or before. `subscription` is the one that was made now. */
  | { readonly kind: 'completed'; readonly subscription: Subscription | null }
  | { readonly kind: 'payment' }
  /** The member has the package already, and an offer that is open again and again would be taken twice. */
  | { readonly kind: 'held'; readonly subscription: Subscription }
  | { readonly kind: 'refused' };

export type Confirmation = Decision<ConfirmAnswer, CheckoutWrite | SubscriptionWrite>;

/**
 * The member confirms what the summary shows.
 *
 * @param isSettled whether the payment method gives the subscription at once, as free packages and invoices do
 */
export function confirmCheckout(
  checkout: Checkout,
  isSettled: boolean,
  completion: Completion,
): Confirmation {
  const { now, held } = completion;
  const has = heldOf(checkout.packageId, held, now).at(-1);
  if (has !== undefined && checkoutStanding(checkout, now) === 'open') {
    return { answer: { kind: 'held', subscription: has }, writes: [] };
  }
  const event = { type: 'confirm', now, isSettled } as const;
  const { state, outcome } = step(checkoutMachine, checkout.state, checkout, event);
  switch (outcome) {
    case 'giveSubscription':
      return give(checkout, null, completion);
    case 'askForPayment':
      return { answer: { kind: 'payment' }, writes: [] };
    case 'ignore':
      return { answer: { kind: 'completed', subscription: null }, writes: [] };
    case 'refuse':
      return { answer: { kind: 'refused' }, writes: moveTo(checkout, { ...checkout, state }) };
  }
}

/** A payment for the checkout was made; it gives the subscription the first time it is reported. */
export function payCheckout(
  checkout: Checkout,
  paymentReference: string,
  completion: Completion,
): Confirmation {
  const { outcome } = step(checkoutMachine, checkout.state, checkout, { type: 'pay' });
  if (outcome === 'giveSubscription') return give(checkout, paymentReference, completion);
  return { answer: { kind: 'completed', subscription: null }, writes: [] };
}

/** The member turns back. @returns whether nothing was bought */
export function cancelCheckout(checkout: Checkout, now: number): Decision<boolean, CheckoutWrite> {
  const standing = checkoutStanding(checkout, now);
  const { state, outcome } = step(checkoutMachine, standing, checkout, { type: 'cancel' });
  const closedAt = outcome === 'recordCancellation' ? now : checkout.closedAt;
  return { answer: outcome !== 'refuse', writes: moveTo(checkout, { ...checkout, state, closedAt }) };
}

function give(
  checkout: Checkout,
  paymentReference: string | null,
  { subscriptionId, held, now }: Completion,
): Confirmation {
  const { tenantId, memberId, packageId, period } = checkout;
  // Who pays for a package twice gets it twice as long, not twice at once.
  const ends = heldOf(packageId, held, now).map(({ expiresAt }) => expiresAt ?? now);
  const activatedAt = Math.max(now, ...ends);
  const subscription = beginSubscription(
    {
      subscriptionId,
      tenantId,
      memberId,
      packageId,
      activatedAt,
      expiresAt: endOfPeriod(activatedAt, period),
      customPropertyValues: {},
    },
    now,
  );
  const completed: Checkout = {
    ...checkout,
    state: 'completed',
    closedAt: now,
    paymentReference,
    subscriptionId,
  };
  return {
    answer: { kind: 'completed', subscription },
    writes: [{ write: 'insertSubscription', subscription }, ...moveTo(checkout, completed)],
  };
}

/** The subscriptions to a package that give access now, or will: the one that runs longest comes last. */
export function heldOf<Held extends Subscription>(
  packageId: number,
  held: readonly Held[],
  now: number,
): readonly Held[] {
  return held
    .filter((one) => one.packageId === packageId && (isActive(one, now) || beginsLater(one, now)))
    .toSorted((a, b) => (a.expiresAt ?? now) - (b.expiresAt ?? now));
}

function beginsLater({ activatedAt, expiresAt, endedAt }: Subscription, now: number): boolean {
  return endedAt === null && activatedAt !== null && expiresAt !== null && activatedAt > now;
}

function moveTo(from: Checkout, to: Checkout): readonly CheckoutWrite[] {
  return from.state === to.state ? [] : [{ write: 'moveCheckout', from: from.state, checkout: to }];
}

/** A reference as it is kept: text of one line, cut to its length (K8). Empty counts as absent. */
export function readReference(text: string | undefined): string | null {
  if (text === undefined) return null;
  const line = [...text.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')]
    .slice(0, referenceLength)
    .join('')
    .trim();
  return line === '' ? null : line;
}

/** Where a checkout may lead back to: none was asked for, an allowed one, or one that is refused. */
type ReturnAddress =
  | { readonly kind: 'none' }
  | { readonly kind: 'allowed'; readonly url: string }
  | { readonly kind: 'refused' };

/**
 * Checks an address that a checkout is to lead back to (decision 40; K1, K2). It must begin, as a text, with
 * one of the tenant's allowed origins, and must be of that very origin as a browser reads it: whatever two
 * readers could read differently is refused.
 *
 * @param text what was sent; undefined if nothing was, and empty counts as that (decision 11)
 * @param origins such as `https://www.example.com`, without a slash at the end
 */
export function readReturnAddress(text: string | undefined, origins: readonly string[]): ReturnAddress {
  if (text === undefined || text === '') return { kind: 'none' };
  if (text.length > returnAddressLength) return { kind: 'refused' };
  // Browsers drop tabs and line ends, and take a backslash for a slash.
  if (/[\p{Cc}\p{Z}\\]/u.test(text) || !text.isWellFormed()) return { kind: 'refused' };
  const origin = origins.find(
    (known) => text === known || (/^[/?#]/.test(text.slice(known.length)) && text.startsWith(known)),
  );
  if (origin === undefined || !URL.canParse(text)) return { kind: 'refused' };
  const url = new URL(text);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return { kind: 'refused' };
  // It is longer than it was typed where it has other letters than ASCII.
  return url.href.length > returnAddressLength ? { kind: 'refused' } : { kind: 'allowed', url: url.href };
}
