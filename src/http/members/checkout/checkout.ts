// The checkout up to its order: what can be subscribed to, and how an order begins.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { checkoutsPerDay, checkoutsPerHour } from '../../../core/access/limits.ts';
import { countingWindow } from '../../../core/limits.ts';
import { endSession } from '../../../core/session.ts';
import { startCheckout } from '../../../operations/access/checkout.ts';
import { findPackage } from '../../../storage/access/package.ts';
import { apply } from '../../../storage/apply.ts';
import { takeIn } from '../../../storage/memory/rate-limit.ts';
import { transactionOf } from '../../audit.ts';
import { clearSessionCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm, pageQuery } from '../../form.ts';
import { countedMember } from '../../limit-reached.ts';
import { type FlowPage, ownFlow } from '../../oidc/flow.ts';
import { guardedPage } from '../../pages/guarded-page.ts';
import { isUndone } from '../../pages/head-request.ts';
import { sendProblem } from '../../pages/problem.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { currentSession } from '../../session.ts';
import { seatsOfRunning } from '../account/seats/group.ts';
import { goToFlow } from '../flow-page.ts';
import {
  type CheckoutRequest,
  checkoutUrl,
  type Order,
  openOrder,
  readCheckoutRequest,
  restartUrl,
  sendHeld,
  sendNothingOrdered,
  sendRefusedRequest,
  sendStaleOrder,
  stillAllowed,
} from './order.ts';
import { paymentReturnPage } from './payment.ts';
import { languageOf, showPlans } from './plans.ts';
import { summaryPage } from './summary.ts';
import { checkoutGuard, ownUrl } from './visit.ts';

const url = '/checkout';

/**
 * The checkout (contract, "Checkout page search parameters"; decision 40):
 *
 *     GET  /checkout?packageId=…      what is offered, or the one package; nothing is written
 *     POST /checkout                  sign in, sign up, go on, or turn back
 *     GET  /checkout/begin?order=…    the order becomes the checkout of the member who is signed in
 *     GET  /checkout/{id}             the address that is missing, the summary, and how it ended
 *     POST /checkout/{id}             the address, the confirmation, or the way back
 *     GET  /checkout/{id}/return      back from a payment provider's page
 *     POST /checkout/payments/{name}  a payment provider's own notice (see `paymentNotices`)
 */
export function checkoutPages(app: FastifyInstance, deps: Deps): void {
  app.refuseOthers(app, url, ['GET', 'POST']);
  app.get(url, (_request, reply) => showPlans(reply, deps));
  app.post(url, { onRequest: requireOwnForm }, (_request, reply) => submit(reply, deps));
  app.refuseOthers(app, `${url}/cancelled`, ['GET']);
  app.get(`${url}/cancelled`, async (request, reply) => {
    const asked = readCheckoutRequest(request);
    if ('reason' in asked) return sendRefusedRequest(reply, asked);
    return sendNothingOrdered(reply, languageOf(request, asked, null), checkoutUrl(asked));
  });
  app.refuseOthers(app, `${url}/begin`, ['GET']);
  app.get(`${url}/begin`, (_request, reply) => begin(reply, deps));
  guardedPage(app, checkoutGuard(deps), summaryPage);
  paymentReturnPage(app, deps);
}

async function submit(reply: FastifyReply, deps: Deps) {
  const { request } = reply;
  const { order: sealed, packageId, action } = pageForm(request, ['order', 'packageId', 'action']);
  const opened = openOrder(request, sealed, deps.clock(), packageId);
  if (opened.kind === 'none') return sendProblem(reply, 'crossSite');
  if (opened.kind === 'stale') return sendStaleOrder(reply, opened.order);
  if (action === 'cancel') return leaveUnordered(reply, opened.order);
  if (opened.kind === 'unchosen') return reply.redirect(restartUrl(opened.order, request.tenant), 303);
  const { order } = opened;
  switch (action) {
    case 'continue':
      return reply.redirect(beginUrl(opened.sealed), 303);
    case 'sign-in':
    case 'sign-up':
      return sendToFlow(reply, `/${action}`, order, opened.sealed, deps);
    case 'switch':
      await signOut(reply, deps);
      return sendToFlow(reply, '/sign-in', order, opened.sealed, deps);
    default:
      return reply.redirect(restartUrl(order, request.tenant), 303);
  }
}

const beginUrl = (sealed: string) => `${url}/begin?order=${sealed}`;

/** The visitor signs in or up first, and the order begins after that. */
async function sendToFlow(
  reply: FastifyReply,
  page: FlowPage,
  { language, packageId }: Order,
  sealed: string,
  deps: Deps,
) {
  const { request } = reply;
  const offer = await transactionOf(request, deps, (tx) => findPackage(tx, request.tenant.id, packageId));
  const isFree = offer?.price.amount === 0;
  return goToFlow(reply, page, { ...ownFlow(beginUrl(sealed), deps, language), isFree }, deps);
}

/** Signs the member out, because another person wants to order in this browser. */
async function signOut(reply: FastifyReply, deps: Deps): Promise<void> {
  await transactionOf(reply.request, deps, async (tx) => {
    const current = await currentSession(tx, reply.request, deps.clock());
    if (current !== null) await apply(tx, endSession(current.session), { event: 'signed_out' });
  });
  clearSessionCookie(reply);
}

/** Back to where the visitor came from, if that is still allowed; else to a page of ours (K1). */
function leaveUnordered(reply: FastifyReply, order: CheckoutRequest): FastifyReply {
  const { tenant } = reply.request;
  const back = stillAllowed(order.callBackUrl, tenant);
  return reply.redirect(back ?? restartUrl(order, tenant, `${url}/cancelled`), 303);
}

/**
 * Begins the checkout of a sealed order for the member who is signed in, and leads to its page. Sign-in and sign-up
 * lead here, as the order's own "Continue" does.
 */
async function begin(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { order: sealed } = pageQuery(request, ['order']);
  const opened = openOrder(request, sealed, deps.clock());
  if (opened.kind === 'none' || opened.kind === 'unchosen') {
    return sendRefusedRequest(reply, { reason: 'malformed' });
  }
  if (opened.kind === 'stale') return sendStaleOrder(reply, opened.order);
  const { order } = opened;
  const begun = await transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const current = await currentSession(tx, request, now);
    if (current === null) return null;
    const key = `checkout ${current.member.id}`;
    const { members } = deps.rateLimiter;
    const count = (most: number, window: number) =>
      isUndone(request) ? members.look(key, most, window) : takeIn(tx, members, key, most, window);
    const limit = async () =>
      (await count(checkoutsPerHour, countingWindow.hour)) ??
      (await count(checkoutsPerDay, countingWindow.day));
    const { id: memberId, tenantId } = current.member;
    const { openedAt: _, language: __, ...facts } = order;
    const started = await startCheckout(tx, { ...facts, tenantId, memberId }, deps, limit, now);
    const own = started.kind === 'held' ? started.subscription : null;
    return { current, ...started, seats: await seatsOfRunning(tx, own, now) };
  });
  if (begun === null) return sendToFlow(reply, '/sign-in', order, opened.sealed, deps);
  const language = languageOf(request, order, begun.current);
  switch (begun.kind) {
    case 'begun':
      return reply.redirect(ownUrl(order.id, order.language), 303);
    case 'foreign':
      return sendStaleOrder(reply, order);
    case 'not-offered':
      return reply.redirect(restartUrl(order, request.tenant), 303);
    case 'held':
      return sendHeld(reply, language, { ...begun.current, ...begun, asked: order }, deps);
    case 'too-many': {
      const ways = [
        { href: '/account', text: 'account.title' },
        { href: restartUrl(order, request.tenant), text: 'checkout.toOrder' },
      ];
      const problem = { language, limitKey: countedMember(begun.current.member.id), ways };
      return sendProblem(reply.header('retry-after', begun.retryAfter), 'tooManyCheckouts', problem);
    }
  }
}
