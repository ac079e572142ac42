/** The pages of a checkout: who may open them, and how they are sent. */
import type { FastifyReply } from 'fastify';
import { findOwnCheckout, type OpenedCheckout } from '../../../operations/access/checkout.ts';
import { paymentMethod } from '../../../operations/access/payment.ts';
import { pathOf } from '../../address.ts';
import type { Deps } from '../../deps.ts';
import { pageQuery } from '../../form.ts';
import { formTarget } from '../../headers.ts';
import { formToken } from '../../pages/form-token.ts';
import type { Guard } from '../../pages/guarded-page.ts';
import { type Page, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { type MemberVisit, memberGuard } from '../member-guard.ts';
import { describeOrder } from './description.ts';
import { stillAllowed } from './order.ts';

/** A signed-in member at a page of their own checkout. */
export interface CheckoutVisit extends MemberVisit, OpenedCheckout {
  /** The language chosen on the way. */
  readonly chosen: string | null;
  /** The address of the checkout's page, in that language. */
  readonly here: string;
}

/** Lets a member in to a checkout of their own; to every other member of this tenant it is not there (K10). */
export function checkoutGuard(deps: Deps): Guard<CheckoutVisit> {
  const guard = memberGuard(deps, (reply) => ({
    purpose: 'checkout',
    returnTo: pathOf(reply.request),
    chosen: chosenIn(reply),
  }));
  return {
    ...guard,
    async admit(tx, reply) {
      const visit = await guard.admit(tx, reply);
      if (visit === null || typeof visit === 'function') return visit;
      const { id } = reply.request.params as { id: string };
      const opened = await findOwnCheckout(tx, visit.member, id);
      if (opened === null) return () => sendProblem(reply, 'notFound', { language: visit.language });
      const chosen = chosenIn(reply);
      return { ...visit, ...opened, chosen, here: ownUrl(opened.checkout.id, chosen) };
    },
    purposeOf,
  };
}

/** The page of a checkout, in the language chosen on the way. */
export function ownUrl(id: string, language: string | null): string {
  return `/checkout/${id}${language === null ? '' : `?${new URLSearchParams({ ui_locales: language })}`}`;
}

const chosenIn = ({ request }: FastifyReply): string | null =>
  pageQuery(request, ['ui_locales']).ui_locales ?? null;

/** The forms of one checkout in one session. */
const purposeOf = ({ session, checkout }: CheckoutVisit) => `checkout ${checkout.id} ${session.id}`;

/**
 * Sends a page of a checkout, with the token of its forms, which may lead to where the checkout leads.
 *
 * @param page its template is named below `templates/members/checkout/`, without its ending
 */
export function sendCheckoutPage(
  visit: CheckoutVisit,
  { template, data, ...page }: Pick<Page, 'template' | 'title' | 'status' | 'problems' | 'data'>,
): Promise<FastifyReply> {
  const { reply, language, checkout, here, deps } = visit;
  return sendPage(reply, {
    template: `members/checkout/${template}.eta`,
    language,
    ...page,
    formTargets: formTargetsOf(visit),
    again: { action: `/checkout/${checkout.id}`, fields: {} },
    data: {
      token: formToken(reply, purposeOf(visit), deps),
      here,
      isFree: checkout.price.amount === 0,
      ...data,
    },
  });
}

/** What the checkout's order comes to if it is confirmed now. */
export function orderOf({ request, checkout, offer, language, deps }: CheckoutVisit) {
  const { dueDays } = request.tenant.invoicing;
  return describeOrder(offer, language, { now: deps.clock(), dueDays }, checkout);
}

/** Back to the site the member came from, on to it, or to the payment provider. */
function formTargetsOf({ request, checkout, deps }: CheckoutVisit): readonly string[] {
  const { onCheckoutCompletedUrl, callBackUrl, payment } = checkout;
  const method = paymentMethod(deps.payments, payment);
  const urls = [onCheckoutCompletedUrl, callBackUrl].map((url) => stillAllowed(url, request.tenant));
  const targets = urls.flatMap((url) => (url === null ? [] : [formTarget(url)]));
  return [...new Set([...targets, ...(method?.kind === 'hosted' ? method.origins : [])])];
}

/** On to where the member was going, if that is still allowed; else to the checkout's own page (K1, K6). */
export function leaveCompleted(reply: FastifyReply, to: Pick<CheckoutVisit, 'checkout' | 'here'>) {
  const { checkout, here } = to;
  const onward = stillAllowed(checkout.onCheckoutCompletedUrl, reply.request.tenant);
  return reply.header('cache-control', 'no-store').redirect(onward ?? here, 303);
}
