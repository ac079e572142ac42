// Reads what a checkout page was opened with, and carries it with the browser as an order.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Checkout, readReference, readReturnAddress } from '../../../core/access/checkout.ts';
import { checkoutRequestBytes } from '../../../core/access/limits.ts';
import type { Package } from '../../../core/access/package.ts';
import type { Subscription } from '../../../core/access/subscription.ts';
import { auditTextLength, flowLifetime } from '../../../core/limits.ts';
import type { Member } from '../../../core/members/member.ts';
import type { Tenant } from '../../../core/tenant.ts';
import { seal, unseal } from '../../../secrets/seal.ts';
import type { Language } from '../../../text/language.ts';
import { noteRefusal } from '../../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pick, queryOf } from '../../form.ts';
import type { PageDeps } from '../../pages/guarded-page.ts';
import { requestLanguage, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { dayOf } from '../times.ts';

const parameters = ['packageId', 'reference', 'onCheckoutCompletedUrl', 'callBackUrl', 'ui_locales'] as const;

/** The addresses that a checkout may lead back to (contract, "Checkout page search parameters"). */
const returnNames = ['onCheckoutCompletedUrl', 'callBackUrl'] as const;

/** What a checkout page was opened with, checked (decision 40). */
export interface CheckoutRequest
  extends Pick<Checkout, 'reference' | 'onCheckoutCompletedUrl' | 'callBackUrl'> {
  /** null where none was asked for, or what was sent can be none. */
  readonly packageId: number | null;
  /** The language chosen on the way. */
  readonly language: string | null;
}

/** A request for one package. */
export type PackageRequest = CheckoutRequest & { readonly packageId: number };

type Origins = Pick<Tenant, 'returnOrigins'>;

/** Why a checkout page does not open: `reason` is the last part of the text's key. */
interface RefusedRequest {
  readonly reason: 'address' | 'long' | 'malformed' | 'repeated';
  readonly parameter?: string;
  readonly sent?: string;
}

/** Reads the query of a checkout page. What cannot be understood in one way only is refused (K2). */
export function readCheckoutRequest(request: FastifyRequest): CheckoutRequest | RefusedRequest {
  const query = queryOf(request);
  if (query === null) return { reason: 'malformed' };
  const { values, repeated } = pick(query, parameters);
  if (repeated[0] !== undefined) return { reason: 'repeated', parameter: repeated[0] };
  const urls = { onCheckoutCompletedUrl: null as string | null, callBackUrl: null as string | null };
  for (const parameter of returnNames) {
    const read = readReturnAddress(values[parameter], request.tenant.returnOrigins);
    if (read.kind === 'refused') return { reason: 'address', parameter, sent: values[parameter] ?? '' };
    if (read.kind === 'allowed') urls[parameter] = read.url;
  }
  const { packageId = '', ui_locales: language = null } = values;
  const asked = {
    packageId: /^\d{1,15}$/.test(packageId) ? Number(packageId) : null,
    reference: readReference(values.reference),
    ...urls,
    language,
  };
  const isLong = Buffer.byteLength(JSON.stringify(asked)) > checkoutRequestBytes;
  return isLong ? { reason: 'long' } : asked;
}

/** The address of the checkout page, or of another that takes the same, that asks for this. */
export function checkoutUrl(asked: CheckoutRequest, path = '/checkout'): string {
  const query = new URLSearchParams(checkoutFields(asked));
  if (asked.language !== null) query.set('ui_locales', asked.language);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** What a form sends to open the checkout page again, beside the language. */
export function checkoutFields(asked: CheckoutRequest): Readonly<Record<string, string>> {
  const { packageId, reference, onCheckoutCompletedUrl, callBackUrl } = asked;
  const fields = { packageId, reference, onCheckoutCompletedUrl, callBackUrl };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );
}

/**
 * What a visitor is about to order. It is not stored: it travels with the browser, sealed against change and
 * bound to that browser's cookie, so that nothing is written before a member is signed in.
 */
export interface Order extends PackageRequest {
  /** The id that its checkout will have: an order that is sent twice begins one checkout. */
  readonly id: string;
  /** ms */
  readonly openedAt: number;
}

/** What a page of several packages seals: an order of each. The form names one of them. */
interface OrderOfAny extends CheckoutRequest {
  /** By the packageId: going back and choosing another package begins another checkout. */
  readonly ids: Readonly<Record<string, string>>;
  readonly openedAt: number;
}

/** What would open the page of the same offer as a checkout's. */
export function requestOf(checkout: Checkout, language: string | null): PackageRequest {
  const { packageId, reference, onCheckoutCompletedUrl, callBackUrl } = checkout;
  return { packageId, reference, onCheckoutCompletedUrl, callBackUrl, language };
}

type Sealing = Pick<Deps, 'clock' | 'random'>;

/** Seals an order that begins now for this browser, which gets a cookie if it has none. */
export function sealOrder(reply: FastifyReply, asked: PackageRequest, { random, clock }: Sealing): string {
  const now = clock();
  const order: Order = { ...asked, id: random.id(now), openedAt: now };
  return seal(reply.request.tenant.tokenKey, 'order', ensureBrowserCookie(reply, random), order);
}

/** Seals an order of any of these packages. */
export function sealOrderOfAny(
  reply: FastifyReply,
  asked: CheckoutRequest,
  offers: readonly Pick<Package, 'id'>[],
  { random, clock }: Sealing,
): string {
  const now = clock();
  const ids = Object.fromEntries(offers.map(({ id }) => [id, random.id(now)]));
  const order: OrderOfAny = { ...asked, packageId: null, ids, openedAt: now };
  return seal(reply.request.tenant.tokenKey, 'order', ensureBrowserCookie(reply, random), order);
}

type OpenedOrder =
  | { readonly kind: 'order'; readonly order: Order; readonly sealed: string }
  /** Expired, or of another browser: it can be started anew, not continued. */
  | { readonly kind: 'stale'; readonly order: CheckoutRequest }
  /** Several packages were offered, and none was chosen. */
  | { readonly kind: 'unchosen'; readonly order: CheckoutRequest }
  | { readonly kind: 'none' };

/** Opens the order that a page or a form carries. @param chosen the package that the form names */
export function openOrder(
  request: FastifyRequest,
  sealed: string | undefined,
  now: number,
  chosen?: string,
): OpenedOrder {
  if (sealed === undefined) return { kind: 'none' };
  const { tokenKey } = request.tenant;
  const unsealed = unseal(tokenKey, 'order', browserCookie(request), sealed);
  if (unsealed.kind === 'broken') return { kind: 'none' };
  const order = unsealed.value as Order | OrderOfAny;
  const isStale = unsealed.kind === 'foreign' || now >= order.openedAt + flowLifetime;
  if (isStale) return { kind: 'stale', order };
  if (!('ids' in order)) return { kind: 'order', order, sealed };
  const { ids, ...asked } = order;
  const id = Object.hasOwn(ids, chosen ?? '') ? ids[chosen ?? ''] : undefined;
  if (id === undefined) return { kind: 'unchosen', order };
  const own: Order = { ...asked, packageId: Number(chosen), id };
  return { kind: 'order', order: own, sealed: seal(tokenKey, 'order', browserCookie(request), own) };
}

/** An address to lead back to, if the tenant's list still allows it; else null (K1, K2). */
export function stillAllowed(url: string | null, { returnOrigins }: Origins) {
  const read = readReturnAddress(url ?? undefined, returnOrigins);
  return read.kind === 'allowed' ? read.url : null;
}

/** A request without the addresses that the tenant's list does not allow any more. */
export function allowedOnly<Asked extends CheckoutRequest>(asked: Asked, tenant: Origins): Asked {
  const onCheckoutCompletedUrl = stillAllowed(asked.onCheckoutCompletedUrl, tenant);
  return { ...asked, onCheckoutCompletedUrl, callBackUrl: stillAllowed(asked.callBackUrl, tenant) };
}

/** The way to start a checkout anew. */
export function restartUrl(asked: CheckoutRequest, tenant: Origins, path?: string): string {
  return checkoutUrl(allowedOnly(asked, tenant), path);
}

/** No more of an address than this is shown: it is there to be recognised, and may be anything. */
const shownLength = 300;

/**
 * The page of a checkout that does not open: it says what was sent, as text, and leads nowhere (K2). On a
 * development tenant it says what would be allowed.
 */
export function sendRefusedRequest(reply: FastifyReply, refused: RefusedRequest): Promise<FastifyReply> {
  const { returnOrigins, development } = reply.request.tenant;
  const language = requestLanguage(reply.request, []);
  const { t } = language;
  const { parameter = '', sent = '' } = refused;
  const reason = t(`problem.checkout.reason.${refused.reason}`, { parameter });
  if (refused.reason !== 'address') return sendProblem(reply, 'checkout', { language, reason });
  const words = `${parameter} leads to ${originOf(sent)}, which is not allowed`;
  noteRefusal(reply.request, { event: 'return_address_refused', rule: 'checkout_address', reason: words });
  const origins = returnOrigins.length > 0 ? returnOrigins : ['–'];
  const details = [
    { label: t('problem.request.sent'), values: [clipped(sent.toWellFormed())] },
    ...(development ? [{ label: t('problem.checkout.allowed'), values: origins }] : []),
  ];
  return sendProblem(reply, 'checkout', { language, reason, details });
}

const clipped = (sent: string) => (sent.length > shownLength ? `${sent.slice(0, shownLength)}…` : sent);

/** Without its path and query, which can hold anything; clipped, since a stranger wrote it. */
function originOf(sent: string): string {
  const origin = URL.canParse(sent) ? new URL(sent).origin : 'null';
  return origin === 'null' ? 'no web address' : origin.slice(0, auditTextLength);
}

/** The page of a member who has the package already: the way on, and none to order it again. */
export function sendHeld(
  reply: FastifyReply,
  language: Language,
  {
    member,
    offer,
    subscription,
    seats,
    ...held
  }: {
    readonly member: Member;
    readonly offer: Package;
    readonly subscription: Subscription;
    /** Where its seats are given; null where it has none. */
    readonly seats: string | null;
    readonly asked: CheckoutRequest;
  },
  deps: PageDeps,
): Promise<FastifyReply> {
  const asked = { ...allowedOnly(held.asked, reply.request.tenant), packageId: offer.id };
  const until = dayOf(subscription.expiresAt ?? deps.clock(), language);
  return sendPage(reply, {
    template: 'members/checkout/done.eta',
    language,
    title: 'checkout.held.title',
    again: { action: '/checkout', fields: checkoutFields(asked) },
    data: {
      lead: language.t('checkout.until', { package: offer.name, date: until }),
      invoice: null,
      mail: null,
      seats,
      onward: asked.onCheckoutCompletedUrl,
      member,
      order: sealOrder(reply, asked, deps),
    },
  });
}

/** An order of another browser, or opened too long ago: the way to start anew (pages 7). */
export function sendStaleOrder(reply: FastifyReply, order: CheckoutRequest): Promise<FastifyReply> {
  const language = requestLanguage(reply.request, [order.language]);
  return sendProblem(reply, 'stale', { language, link: restartUrl(order, reply.request.tenant) });
}

/** Nothing was ordered, and the way to start anew. */
export function sendNothingOrdered(
  reply: FastifyReply,
  language: Language,
  restart: string,
  why: 'cancelled' | 'expired' = 'cancelled',
): Promise<FastifyReply> {
  return sendPage(reply, {
    template: 'members/checkout/ended.eta',
    language,
    title: `checkout.${why}.title`,
    data: { lead: language.t(`checkout.${why}.lead`), restart },
  });
}
