// The first page of the checkout: what can be subscribed to.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { heldOf } from '../../../core/access/checkout.ts';
import type { Package } from '../../../core/access/package.ts';
import type { MemberSubscription } from '../../../core/access/subscription.ts';
import { endSession } from '../../../core/session.ts';
import { listOffers } from '../../../operations/access/checkout.ts';
import { listSubscriptions } from '../../../storage/access/subscription.ts';
import { apply } from '../../../storage/apply.ts';
import type { Language } from '../../../text/language.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import { clearSessionCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { formTarget } from '../../headers.ts';
import { type FlowPage, flowUrl, sealFlow } from '../../oidc/flow.ts';
import { requestLanguage, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { type CurrentSession, currentSession } from '../../session.ts';
import { dayOf } from '../account/times.ts';
import { sendHeld } from './held.ts';
import {
  type CheckoutRequest,
  checkoutFields,
  checkoutUrl,
  type Order,
  openOrder,
  readCheckoutRequest,
  restartUrl,
  sealOrder,
  stillAllowed,
} from './order.ts';
import { sendRefusedRequest } from './problem.ts';
import { offerWords } from './words.ts';

const url = '/checkout';

/** GET and POST /checkout: what can be subscribed to, and the ways on from there. Nothing is written yet. */
export function offerPage(app: FastifyInstance, deps: Deps): void {
  refuseOtherMethods(app, url, ['GET', 'POST']);
  app.get(url, (request, reply) => show(request, reply, deps));
  app.post(url, { onRequest: requireOwnForm }, (request, reply) => submit(request, reply, deps));

  refuseOtherMethods(app, `${url}/cancelled`, ['GET']);
  app.get(`${url}/cancelled`, async (request, reply) => {
    const asked = readCheckoutRequest(request);
    if ('reason' in asked) return sendRefusedRequest(reply, asked);
    return sendNothingOrdered(reply, languageOf(request, asked, null), checkoutUrl(asked));
  });
}

async function show(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const asked = readCheckoutRequest(request);
  if ('reason' in asked) return sendRefusedRequest(reply, asked);
  const { current, offers, held } = await transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const current = await currentSession(tx, request, now);
    const held = current === null ? [] : await listSubscriptions(tx, current.member.id);
    const offers = await listOffers(tx, request.tenant.id, deps.payments);
    return { current, offers, held };
  });
  const language = languageOf(request, asked, current);
  const offer = offers.find(({ id }) => id === asked.packageId);
  if (offer === undefined) return sendChoice(reply, language, asked, offers, held, deps);
  const subscription = heldOf(offer.id, held, deps.clock()).at(-1);
  if (current !== null && subscription !== undefined) {
    return sendHeld(reply, language, { ...current, offer, subscription, asked }, deps);
  }
  return sendOffer(reply, language, { ...asked, packageId: offer.id }, offer, current, deps);
}

function languageOf(request: FastifyRequest, asked: CheckoutRequest, current: CurrentSession | null) {
  return requestLanguage(request, [asked.language, current?.member.locale]);
}

/** Everything that is offered; what the member has already says so. */
function sendChoice(
  reply: FastifyReply,
  language: Language,
  asked: CheckoutRequest,
  offers: readonly Package[],
  held: readonly MemberSubscription[],
  deps: Deps,
): Promise<FastifyReply> {
  const now = deps.clock();
  const { packageId, ...rest } = asked;
  const fields = checkoutFields({ ...rest, packageId: null });
  return sendPage(reply, {
    template: 'members/checkout/choose.eta',
    language,
    title: 'checkout.choose.title',
    // What is asked for is not offered here, or not by this tenant (K10).
    status: asked.packageId === null ? 200 : 404,
    again: { action: url, fields },
    data: {
      fields: { ...fields, ...(asked.language === null ? {} : { ui_locales: asked.language }) },
      isGone: packageId !== null && offers.length > 0,
      back: asked.callBackUrl,
      offers: offers.map((offer) => {
        const has = heldOf(offer.id, held, now).at(-1);
        return {
          ...offerWords(offer, language, now),
          hasUntil: has === undefined ? null : dayOf(has.expiresAt ?? now, language.tag),
        };
      }),
    },
  });
}

function sendOffer(
  reply: FastifyReply,
  language: Language,
  asked: CheckoutRequest & { readonly packageId: number },
  offer: Package,
  current: CurrentSession | null,
  deps: Deps,
): Promise<FastifyReply> {
  const { callBackUrl } = asked;
  return sendPage(reply, {
    template: 'members/checkout/offer.eta',
    language,
    title: 'checkout.offer.title',
    titleValues: { package: offer.name },
    // Cancel leads there.
    formTargets: callBackUrl === null ? [] : [formTarget(callBackUrl)],
    again: { action: url, fields: checkoutFields(asked) },
    data: {
      offer: offerWords(offer, language, deps.clock()),
      email: current?.member.email ?? null,
      order: sealOrder(reply, asked, deps),
    },
  });
}

async function submit(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { order: sealed, action } = pageForm(request, ['order', 'action']);
  const opened = openOrder(request, sealed, deps.clock());
  if (opened.kind === 'none') return sendProblem(reply, 'crossSite');
  if (opened.kind === 'stale') return sendStaleOrder(reply, opened.order);
  const { order } = opened;
  switch (action) {
    case 'continue':
      return reply.redirect(beginUrl(opened.sealed), 303);
    case 'sign-in':
    case 'sign-up':
      return sendToFlow(reply, `/${action}`, order, opened.sealed, deps);
    case 'switch':
      await signOut(request, reply, deps);
      return sendToFlow(reply, '/sign-in', order, opened.sealed, deps);
    case 'cancel':
      return leaveUnordered(reply, order);
    default:
      return reply.redirect(restartUrl(order, request.tenant), 303);
  }
}

const beginUrl = (sealed: string) => `${url}/begin?order=${sealed}`;

/** The visitor signs in or up first, and the order begins after that. */
export function sendToFlow(
  reply: FastifyReply,
  page: FlowPage,
  { language }: Order,
  sealed: string,
  deps: Deps,
): FastifyReply {
  const flow = { startedAt: deps.clock(), parameters: null, returnTo: beginUrl(sealed), language };
  return reply.redirect(flowUrl(page, sealFlow(reply, flow, deps)), 303);
}

/** Signs the member out, because another person wants to order in this browser. */
async function signOut(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<void> {
  await transactionOf(request, deps, async (tx) => {
    const current = await currentSession(tx, request, deps.clock());
    if (current !== null) await apply(tx, endSession(current.session), { event: 'signed_out' });
  });
  clearSessionCookie(reply);
}

/** Back to where the visitor came from, if that is still allowed; else to a page of ours (K1). */
function leaveUnordered(reply: FastifyReply, order: Order): FastifyReply {
  const { tenant } = reply.request;
  const back = stillAllowed(order.callBackUrl, tenant);
  return reply.redirect(back ?? restartUrl(order, tenant, `${url}/cancelled`), 303);
}

/** An order of another browser, or opened too long ago: the way to start anew (pages 7). */
export function sendStaleOrder(reply: FastifyReply, order: Order): Promise<FastifyReply> {
  const { request } = reply;
  return sendProblem(reply, 'stale', {
    language: languageOf(request, order, null),
    link: restartUrl(order, request.tenant),
  });
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
