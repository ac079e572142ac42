import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../../language.ts';
import { findOwnCheckout, type OpenedCheckout } from '../../../operations/access/checkout.ts';
import { paymentMethod } from '../../../operations/access/payments/payment.ts';
import { seal, unseal } from '../../../secrets/seal.ts';
import { pathOf } from '../../address.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm, pick, queryOf } from '../../form.ts';
import { formTarget } from '../../headers.ts';
import { requestLanguage } from '../../pages/language.ts';
import { sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { type CurrentSession, currentSession, SessionOver } from '../../session.ts';
import type { FieldProblem } from '../account/page.ts';
import { flowUrl, sealFlow } from '../flow.ts';
import { stillAllowed } from './order.ts';

/** A signed-in member at a page of their own checkout. */
export interface CheckoutVisit extends CurrentSession, OpenedCheckout {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly language: Language;
  readonly deps: Deps;
  /** The language chosen on the way. */
  readonly chosen: string | null;
  /** The address of the checkout's page, in that language. */
  readonly here: string;
}

type Answer = (visit: CheckoutVisit) => Promise<FastifyReply> | FastifyReply;

/**
 * Registers a page of a checkout: GET shows it, POST takes its form. Whoever is not signed in goes through
 * the sign-in page and comes back; a checkout that is not this member's on this tenant is not there (K10); a
 * form must be of this browser, this session and this checkout (U14).
 */
export function checkoutPage(
  app: FastifyInstance,
  deps: Deps,
  url: string,
  show: Answer,
  submit?: Answer,
): void {
  refuseOtherMethods(app, url, submit === undefined ? ['GET'] : ['GET', 'POST']);
  app.get(url, (request, reply) => visitCheckout(request, reply, deps, show));
  if (submit === undefined) return;
  app.post(url, { onRequest: requireOwnForm }, (request, reply) =>
    visitCheckout(request, reply, deps, (visit) =>
      isOwnForm(visit) ? submit(visit) : sendProblem(reply, 'crossSite', { language: visit.language }),
    ),
  );
}

/** Finds who visits which checkout, and lets them be answered. */
export async function visitCheckout(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
  answer: Answer,
): Promise<FastifyReply> {
  const { id } = request.params as { id: string };
  const { ui_locales: chosen } = pick(queryOf(request) ?? new Map(), ['ui_locales']).values;
  const { current, opened } = await transactionOf(request, deps, async (tx) => {
    const current = await currentSession(tx, request, deps.clock());
    return { current, opened: current === null ? null : await findOwnCheckout(tx, current.member, id) };
  });
  if (current === null) return sendToSignIn(reply, chosen ?? null, deps);
  const language = requestLanguage(request, [chosen, current.member.locale]);
  if (opened === null) return sendProblem(reply, 'notFound', { language });
  const query = chosen === undefined ? '' : `?${new URLSearchParams({ ui_locales: chosen })}`;
  const here = `/checkout/${opened.checkout.id}${query}`;
  const visit = { ...current, ...opened, request, reply, language, deps, chosen: chosen ?? null, here };
  try {
    return await answer(visit);
  } catch (error) {
    if (error instanceof SessionOver) return sendToSignIn(reply, chosen ?? null, deps);
    throw error;
  }
}

/** The member signs in first, and comes back to the page. */
function sendToSignIn(reply: FastifyReply, language: string | null, deps: Deps): FastifyReply {
  const returnTo = pathOf(reply.request);
  const flow = { startedAt: deps.clock(), parameters: null, returnTo, language };
  return reply.redirect(flowUrl('/sign-in', sealFlow(reply, flow, deps)), 303);
}

/** The seal of the forms of one checkout in one session: no other page, browser or session can send them. */
const tokenOf = ({ session, checkout }: CheckoutVisit) => `checkout ${checkout.id} ${session.id}`;

function isOwnForm(visit: CheckoutVisit): boolean {
  const { request } = visit;
  const { token = '' } = pageForm(request, ['token']);
  const unsealed = unseal(request.tenant.tokenKey, 'form', browserCookie(request), token);
  return unsealed.kind === 'opened' && unsealed.value === tokenOf(visit);
}

/** A page of a checkout, before it is sent. */
export interface CheckoutPage {
  /** The template below `templates/members/checkout/`, without its ending. */
  readonly template: string;
  readonly title: string;
  readonly status?: number;
  readonly problems?: readonly FieldProblem[];
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Sends a page of a checkout, with the token of its forms, which may lead to where the checkout leads. */
export function sendCheckoutPage(
  visit: CheckoutVisit,
  { template, title, problems = [], status = problems.length > 0 ? 422 : 200, data }: CheckoutPage,
): Promise<FastifyReply> {
  const { request, reply, language, checkout, here, deps } = visit;
  const browser = ensureBrowserCookie(reply, deps.random);
  return sendPage(reply, {
    template: `members/checkout/${template}.eta`,
    language,
    title,
    status,
    isError: problems.length > 0,
    formTargets: formTargetsOf(visit),
    again: { action: `/checkout/${checkout.id}`, fields: {} },
    data: {
      token: seal(request.tenant.tokenKey, 'form', browser, tokenOf(visit)),
      here,
      problems,
      ...data,
    },
  });
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
export function leaveCompleted(
  reply: FastifyReply,
  { checkout, here }: Pick<CheckoutVisit, 'checkout' | 'here'>,
) {
  const onward = stillAllowed(checkout.onCheckoutCompletedUrl, reply.request.tenant);
  return reply.header('cache-control', 'no-store').redirect(onward ?? here, 303);
}
