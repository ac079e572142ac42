// Begins the checkout of an order.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkoutsPerDay, checkoutsPerHour } from '../../../core/access/limits.ts';
import { countingWindow } from '../../../core/limits.ts';
import { startCheckout } from '../../../operations/access/checkout.ts';
import { takeIn } from '../../../storage/memory/rate-limit.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { pageQuery } from '../../form.ts';
import { countedMember } from '../../limits/limit-reached.ts';
import { isUndone } from '../../pages/head-request.ts';
import { requestLanguage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { currentSession } from '../../session.ts';
import { sendHeld } from './held.ts';
import { sendStaleOrder, sendToFlow } from './offer.ts';
import { type Order, openOrder, restartUrl } from './order.ts';
import { sendRefusedRequest } from './problem.ts';

const url = '/checkout/begin';

/**
 * GET /checkout/begin: begins the checkout of a sealed order for the member who is signed in, and leads to
 * its page. Sign-in and sign-up lead here, as the order's own "Continue" does.
 */
export function beginPage(app: FastifyInstance, deps: Deps): void {
  refuseOtherMethods(app, url, ['GET']);
  app.get(url, (request, reply) => begin(request, reply, deps));
}

async function begin(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { order: sealed } = pageQuery(request, ['order']);
  const opened = openOrder(request, sealed, deps.clock());
  if (opened.kind === 'none') return sendRefusedRequest(reply, { reason: 'malformed' });
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
    const limit = () =>
      count(checkoutsPerHour, countingWindow.hour) ?? count(checkoutsPerDay, countingWindow.day);
    return { current, ...(await startCheckout(tx, factsOf(order, current.member), deps, limit, now)) };
  });
  if (begun === null) return sendToFlow(reply, '/sign-in', order, opened.sealed, deps);
  const language = requestLanguage(request, [order.language, begun.current.member.locale]);
  switch (begun.kind) {
    case 'begun':
      return reply.redirect(checkoutUrl(order), 303);
    case 'foreign':
      return sendStaleOrder(reply, order);
    case 'not-offered':
      return reply.redirect(restartUrl(order, request.tenant), 303);
    case 'held':
      return sendHeld(reply, language, { ...begun.current, ...begun, asked: order }, deps);
    case 'too-many':
      return sendProblem(reply.header('retry-after', begun.retryAfter), 'tooManyCheckouts', {
        language,
        limitKey: countedMember(begun.current.member.id),
        ways: [
          { href: '/account', text: 'account.title' },
          { href: restartUrl(order, request.tenant), text: 'checkout.toOrder' },
        ],
      });
    default:
      throw new Error(`unknown answer ${JSON.stringify(begun satisfies never)}`);
  }
}

function factsOf(
  order: Order,
  { id: memberId, tenantId }: { readonly id: string; readonly tenantId: string },
) {
  const { id, packageId, reference, onCheckoutCompletedUrl, callBackUrl } = order;
  return { id, tenantId, memberId, packageId, reference, onCheckoutCompletedUrl, callBackUrl };
}

/** The page of the order's checkout, in the language chosen on the way. */
function checkoutUrl({ id, language }: Order): string {
  return `/checkout/${id}${language === null ? '' : `?${new URLSearchParams({ ui_locales: language })}`}`;
}
