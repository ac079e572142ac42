// The checkout's first page: what can be subscribed to, side by side, or the one package that was asked for.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { heldOf } from '../../../core/access/checkout.ts';
import type { Package } from '../../../core/access/package.ts';
import type { MemberSubscription } from '../../../core/access/subscription.ts';
import { listOffers } from '../../../operations/access/checkout.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import type { Language } from '../../../text/language.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { formTarget } from '../../headers.ts';
import { type Page, requestLanguage, sendPage } from '../../pages/pages.ts';
import { type CurrentSession, currentSession } from '../../session.ts';
import { seatsOfRunning } from '../account/seats/group.ts';
import { dayOf } from '../times.ts';
import { describeOffer, describeOrder } from './description.ts';
import {
  type CheckoutRequest,
  checkoutFields,
  readCheckoutRequest,
  sealOrder,
  sealOrderOfAny,
  sendHeld,
  sendRefusedRequest,
} from './order.ts';

/** The visitor who looks at the offers, as far as the service knows. */
interface Look {
  readonly asked: CheckoutRequest;
  readonly current: CurrentSession | null;
  readonly held: readonly MemberSubscription[];
  readonly language: Language;
}

export async function showPlans(reply: FastifyReply, deps: Deps) {
  const { request } = reply;
  const asked = readCheckoutRequest(request);
  if ('reason' in asked) return sendRefusedRequest(reply, asked);
  const { current, offers, held, own, seats } = await transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const current = await currentSession(tx, request, now);
    const held = current === null ? [] : await listSubscriptions(tx, current.member.id);
    const offers = await listOffers(tx, request.tenant.id, deps.payments);
    const { packageId } = asked;
    const own = packageId === null ? null : (heldOf(packageId, held, now).at(-1) ?? null);
    return { current, offers, held, own, seats: await seatsOfRunning(tx, own, now) };
  });
  const language = languageOf(request, asked, current);
  const look = { asked, current, held, language };
  const offer = offers.find(({ id }) => id === asked.packageId);
  if (offer === undefined) return sendChoice(reply, look, offers, deps);
  if (current !== null && own !== null) {
    return sendHeld(reply, language, { ...current, offer, subscription: own, seats, asked }, deps);
  }
  return sendOffer(reply, look, offer, deps);
}

export function languageOf(request: FastifyRequest, asked: CheckoutRequest, current: CurrentSession | null) {
  const language = requestLanguage(request, [asked.language], current?.member.locale);
  return { ...language, country: current?.member.address.country ?? null };
}

/** Everything that is offered; what the member has already says so. */
function sendChoice(reply: FastifyReply, look: Look, offers: readonly Package[], deps: Deps) {
  const now = deps.clock();
  const plans = offers.map((offer) => {
    const has = heldOf(offer.id, look.held, now).at(-1);
    const hasUntil = has === undefined ? null : dayOf(has.expiresAt ?? now, look.language);
    return { offer, hasUntil };
  });
  const open = plans.flatMap(({ offer, hasUntil }) => (hasUntil === null ? [offer] : []));
  const asked = { ...look.asked, packageId: null };
  // What is asked for is not offered here, or not by this tenant (K10).
  const isGone = look.asked.packageId !== null;
  const page = {
    title: 'checkout.choose.title',
    status: isGone ? 404 : 200,
    plans,
    order: sealOrderOfAny(reply, asked, open, deps),
    isGone: isGone && offers.length > 0,
  };
  return sendPlans(reply, { ...look, asked }, page, deps);
}

/** The one package that was asked for. */
function sendOffer(reply: FastifyReply, look: Look, offer: Package, deps: Deps) {
  const asked = { ...look.asked, packageId: offer.id };
  const page = {
    title: 'checkout.offer.title',
    titleValues: { package: offer.name },
    plans: [{ offer, hasUntil: null }],
    order: sealOrder(reply, asked, deps),
    isGone: false,
  };
  return sendPlans(reply, { ...look, asked }, page, deps);
}

interface Plans extends Pick<Page, 'title' | 'titleValues' | 'status'> {
  /** `hasUntil` is the last day of a plan that the member has already; null for a plan that can be ordered. */
  readonly plans: readonly { readonly offer: Package; readonly hasUntil: string | null }[];
  readonly order: string;
  readonly isGone: boolean;
}

function sendPlans(reply: FastifyReply, { asked, language, current }: Look, page: Plans, deps: Deps) {
  const { plans, order, isGone, ...rest } = page;
  const { callBackUrl } = asked;
  const at = { now: deps.clock(), dueDays: reply.request.tenant.invoicing.dueDays };
  const isChoice = asked.packageId === null;
  const isOpen = plans.some(({ hasUntil }) => hasUntil === null);
  return sendPage(reply, {
    template: 'members/checkout/plans.eta',
    language,
    ...rest,
    // Cancel leads there.
    formTargets: callBackUrl === null ? [] : [formTarget(callBackUrl)],
    again: { action: '/checkout', fields: checkoutFields(asked) },
    data: {
      lead: isChoice && isOpen ? language.t('checkout.choose.lead') : null,
      plans: plans.map(({ offer, hasUntil }) => ({ ...describeOffer(offer, language), hasUntil })),
      orders: plans.map(({ offer, hasUntil }) =>
        hasUntil === null ? describeOrder(offer, language, at) : null,
      ),
      isChoice,
      isFree: plans.every(({ offer }) => offer.price.amount === 0),
      isGone,
      email: current?.member.email ?? null,
      back: callBackUrl,
      order,
    },
  });
}
