// Checkouts: begins, settles and completes them, and says which are deleted.
import {
  beginCheckout,
  type Checkout,
  type CheckoutFacts,
  type Confirmation,
  cancelCheckout,
  checkoutStanding,
  confirmCheckout,
  heldOf,
  payCheckout,
} from '../../core/access/checkout.ts';
import type { Invoice } from '../../core/access/invoice.ts';
import { asksForAddress, type Package } from '../../core/access/package.ts';
import type { MemberSubscription, Subscription } from '../../core/access/subscription.ts';
import { sha256 } from '../../core/hash.ts';
import { day } from '../../core/limits.ts';
import { type Address, type Member, maySignIn } from '../../core/members/member.ts';
import { findCheckout } from '../../storage/access/checkout.ts';
import { nextInvoiceNumber } from '../../storage/access/invoice.ts';
import { findPackage, listPackages } from '../../storage/access/package.ts';
import { listSubscriptions, nextSubscriptionId } from '../../storage/access/subscription.ts';
import { apply } from '../../storage/apply.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { forgottenCheckouts } from '../../storage/sweep/forgotten.ts';
import type { Sweep } from '../../storage/sweep/sweep.ts';
import { findTenant } from '../../storage/tenant.ts';
import type { Random } from '../../system/random.ts';
import { type PaymentMethod, type PaymentReport, paymentMethod } from './payment.ts';

/** What these operations need beside the transaction and the time. */
export interface CheckoutDeps {
  readonly random: Pick<Random, 'id'>;
  readonly payments: readonly PaymentMethod[];
}

/** The packages that a tenant offers, as far as the service has their payment methods. */
export async function listOffers(
  tx: Tx,
  tenantId: string,
  payments: readonly PaymentMethod[],
): Promise<readonly Package[]> {
  const packages = await listPackages(tx, tenantId);
  return packages.filter(({ offered, payment }) => offered && paymentMethod(payments, payment) !== null);
}

/** The member's subscription to a package that gives access now, or will; null if there is none. */
export async function heldSubscription(
  tx: Tx,
  memberId: string,
  packageId: number,
  now: number,
): Promise<MemberSubscription | null> {
  return heldOf(packageId, await listSubscriptions(tx, memberId), now).at(-1) ?? null;
}

/** A checkout with the package it is for. */
export interface OpenedCheckout {
  readonly checkout: Checkout;
  readonly offer: Package;
}

/** A member's own checkout; null if there is none, or it is another member's or tenant's (K10). */
export async function findOwnCheckout(
  tx: Tx,
  { tenantId, id: memberId }: Pick<Member, 'tenantId' | 'id'>,
  id: string,
): Promise<OpenedCheckout | null> {
  const checkout = await findCheckout(tx, tenantId, id);
  if (checkout?.memberId !== memberId) return null;
  return { checkout, offer: await offerOf(tx, checkout) };
}

async function offerOf(tx: Tx, { tenantId, packageId }: Checkout): Promise<Package> {
  const offer = await findPackage(tx, tenantId, packageId);
  if (offer === null) throw new Error('a checkout of no package');
  return offer;
}

export type BegunCheckout =
  | { readonly kind: 'begun' }
  /** The id is another member's checkout. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'not-offered' }
  | { readonly kind: 'held'; readonly offer: Package; readonly subscription: Subscription }
  /** Seconds until the member may begin one again. */
  | { readonly kind: 'too-many'; readonly retryAfter: number };

/**
 * Begins a member's checkout, once however often it is asked for: the id came with the order (decision 40).
 *
 * @param limit counts one more; null if it is allowed, else the seconds to wait
 * @param now ms
 */
export async function startCheckout(
  tx: Tx,
  facts: CheckoutFacts & { readonly packageId: number },
  { payments }: Pick<CheckoutDeps, 'payments'>,
  limit: () => Promise<number | null>,
  now: number,
): Promise<BegunCheckout> {
  const { packageId, ...rest } = facts;
  const known = await findCheckout(tx, facts.tenantId, facts.id);
  if (known !== null) return { kind: known.memberId === facts.memberId ? 'begun' : 'foreign' };
  const offer = (await listOffers(tx, facts.tenantId, payments)).find(({ id }) => id === packageId);
  if (offer === undefined) return { kind: 'not-offered' };
  const subscription = await heldSubscription(tx, facts.memberId, packageId, now);
  if (subscription !== null) return { kind: 'held', offer, subscription };
  const retryAfter = await limit();
  if (retryAfter !== null) return { kind: 'too-many', retryAfter };
  await apply(tx, [{ write: 'insertCheckout', checkout: beginCheckout(rest, offer, now) }]);
  return { kind: 'begun' };
}

/** Whether this member must still say where they live before the checkout can be confirmed. */
export function lacksAddress({ checkout, offer }: OpenedCheckout, { address }: Member): boolean {
  const { needsAddress } = offer;
  if (!asksForAddress({ needsAddress, payment: checkout.payment })) return false;
  return neededLines.some((line) => address[line] === null);
}

/** What an address must have to be written to. */
export const neededLines = ['line1', 'postCode', 'city', 'country'] as const satisfies (keyof Address)[];

/** What completing a checkout gave, the one time that it gave something. */
export interface Given extends OpenedCheckout {
  readonly subscription: Subscription;
  readonly invoice: Invoice | null;
}

export type Confirmed =
  /** It is completed; `given` is null if it was before. */
  | { readonly kind: 'completed'; readonly given: Given | null }
  | { readonly kind: 'payment'; readonly method: Extract<PaymentMethod, { kind: 'hosted' }> }
  /** The service does not have its payment method any more. */
  | { readonly kind: 'no-method' }
  /** The page has something else to say: an address is missing, the package is had, the time is over. */
  | { readonly kind: 'look-again' };

/**
 * A short digest of what an offer says of itself, beside the price and the period, which its checkout keeps: what a
 * member confirms is what the member saw.
 */
export function offerDigest(offer: Package): string {
  const { name, description, products, taxName, taxPercent, renews, seats } = offer;
  return sha256(JSON.stringify([name, description, products, taxName, taxPercent, renews, seats])).slice(
    0,
    16,
  );
}

/**
 * A member confirms a checkout: the first time gives the subscription, or leads to its payment. A package
 * that is offered no more is still given to members who began before.
 *
 * @param seen the digest of the offer that the member saw
 */
export async function confirmOwnCheckout(
  tx: Tx,
  owner: Pick<Member, 'tenantId' | 'id'>,
  { id, seen }: { readonly id: string; readonly seen: string | undefined },
  deps: CheckoutDeps,
  now: number,
): Promise<Confirmed> {
  const opened = await findOwnCheckout(tx, owner, id);
  const member = await findMember(tx, owner.tenantId, owner.id);
  if (opened === null || !maySignIn(member, now)) return { kind: 'look-again' };
  const { checkout } = opened;
  const isOpen = checkoutStanding(checkout, now) === 'open';
  const hasChanged = seen !== offerDigest(opened.offer);
  if (isOpen && (hasChanged || lacksAddress(opened, member))) return { kind: 'look-again' };
  const method = paymentMethod(deps.payments, checkout.payment);
  if (method === null) return { kind: isOpen ? 'no-method' : 'look-again' };
  const completion = await completionOf(tx, checkout, now);
  const decision = confirmCheckout(checkout, method.kind === 'settled', completion);
  const given = await carryOut(tx, opened, decision, deps, now);
  switch (decision.answer.kind) {
    case 'completed':
      return { kind: 'completed', given };
    case 'payment':
      return method.kind === 'hosted' ? { kind: 'payment', method } : { kind: 'no-method' };
    case 'held':
    case 'refused':
      return { kind: 'look-again' };
    default:
      throw new Error(`unknown answer ${JSON.stringify(decision.answer satisfies never)}`);
  }
}

export type Paid =
  /** `given` is null if it was reported before. */
  | { readonly kind: 'paid'; readonly checkout: Checkout; readonly given: Given | null }
  /** The tenant has no such checkout that is paid in this way. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wrong-price' };

/** Takes in a payment that a provider reports; one that comes late is honoured, one of another price is not. */
export async function takePayment(
  tx: Tx,
  tenantId: string,
  methodName: string,
  report: Extract<PaymentReport, { kind: 'paid' }>,
  deps: CheckoutDeps,
  now: number,
): Promise<Paid> {
  const checkout = await findCheckout(tx, tenantId, report.checkoutId);
  if (checkout?.payment !== methodName) return { kind: 'unknown' };
  const { amount, currency } = report.price;
  if (amount !== checkout.price.amount || currency !== checkout.price.currency) {
    return { kind: 'wrong-price' };
  }
  const opened = { checkout, offer: await offerOf(tx, checkout) };
  const completion = await completionOf(tx, checkout, now);
  const decision = payCheckout(checkout, report.paymentReference, completion);
  return { kind: 'paid', checkout, given: await carryOut(tx, opened, decision, deps, now) };
}

/** A member turns back. @returns whether nothing was ordered */
export async function abandonCheckout(
  tx: Tx,
  { tenantId, id }: Pick<Checkout, 'tenantId' | 'id'>,
  now: number,
): Promise<boolean> {
  // Read anew: another request of the same member may have closed it since.
  const checkout = await findCheckout(tx, tenantId, id);
  if (checkout === null) return true;
  const { answer, writes } = cancelCheckout(checkout, now);
  await apply(tx, writes);
  return answer;
}

async function completionOf(tx: Tx, { memberId }: Checkout, now: number) {
  return { subscriptionId: await nextSubscriptionId(tx), held: await listSubscriptions(tx, memberId), now };
}

/** Writes what was decided, and the invoice beside a subscription that is paid by one. */
async function carryOut(
  tx: Tx,
  opened: OpenedCheckout,
  { answer, writes }: Confirmation,
  { random, payments }: CheckoutDeps,
  now: number,
): Promise<Given | null> {
  await apply(tx, writes);
  if (answer.kind !== 'completed' || answer.subscription === null) return null;
  const { subscription } = answer;
  const method = paymentMethod(payments, opened.checkout.payment);
  const isInvoiced = method?.kind === 'settled' && method.isInvoiced;
  const invoice = isInvoiced ? await invoiceOf(tx, opened, subscription, random.id(now), now) : null;
  if (invoice !== null) await apply(tx, [{ write: 'insertInvoice', invoice }]);
  return { ...opened, subscription, invoice };
}

async function invoiceOf(
  tx: Tx,
  { checkout, offer }: OpenedCheckout,
  { subscriptionId }: Subscription,
  id: string,
  now: number,
): Promise<Invoice> {
  const { tenantId, memberId, price } = checkout;
  const tenant = await findTenant(tx, tenantId);
  const member = await findMember(tx, tenantId, memberId);
  if (tenant === null || member === null) throw new Error('a checkout of no member or tenant');
  const { dueDays, ...payTo } = tenant.invoicing;
  const { address, fullName, email } = member;
  return {
    id,
    tenantId,
    number: await nextInvoiceNumber(tx, tenantId),
    memberId,
    subscriptionId,
    packageName: offer.name,
    seats: offer.seats,
    price,
    taxName: offer.taxName,
    taxPercent: offer.taxPercent,
    payTo,
    // Where the address names no other person, it is the member's own.
    addressee: { ...address, name: address.name ?? fullName, email: address.email ?? email },
    issuedAt: now,
    dueAt: now + dueDays * day,
    paidAt: null,
  };
}

/**
 * Every checkout that was never completed and cannot be any more: at once where nothing is paid before, later
 * where a provider may still report a payment. One whose payment method the service does not have any more
 * counts as the latter.
 *
 * @param now ms
 */
export function staleCheckouts(methods: readonly PaymentMethod[], now: number): readonly Sweep[] {
  const settled = methods.filter(({ kind }) => kind === 'settled').map(({ name }) => name);
  return forgottenCheckouts(settled, now);
}
