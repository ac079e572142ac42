// Leads to a payment provider and back, and takes its reports.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkoutStanding } from '../../../core/access/checkout.ts';
import { paymentBeginTimeout, paymentsPerMinute } from '../../../core/access/limits.ts';
import { refusal } from '../../../core/decision.ts';
import { bodyBytes, countingWindow } from '../../../core/limits.ts';
import { takePayment } from '../../../operations/access/checkout.ts';
import { type HostedMethod, type PaymentReport, paymentMethod } from '../../../operations/access/payment.ts';
import { findCheckout } from '../../../storage/access/checkout.ts';
import { noStore, refuseOtherMethods, sendRefusal } from '../../answers.ts';
import { noteRefusal, transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { enter } from '../../pages/guarded-page.ts';
import { mailSubscribed } from './invoice.ts';
import { type CheckoutVisit, checkoutGuard, leaveCompleted, sendCheckoutPage } from './visit.ts';

/**
 * Begins the payment of a checkout at its provider, outside any transaction: nothing is written for it.
 *
 * @returns the address of the provider's page; null if the payment cannot begin now
 */
export async function beginPayment(visit: CheckoutVisit, method: HostedMethod): Promise<string | null> {
  const { request, checkout, offer, member, language, deps } = visit;
  const { name, issuer } = request.tenant;
  const { fullName, email, address } = member;
  const order = {
    checkoutId: checkout.id,
    tenant: { name, issuer },
    member: { fullName, email, address },
    packageName: offer.name,
    price: checkout.price,
    language: language.tag,
    returnUrl: `${issuer}/checkout/${checkout.id}/return`,
  };
  try {
    const { members } = deps.rateLimiter;
    const wait = await members.take(`payment ${checkout.id}`, paymentsPerMinute, countingWindow.minute);
    if (wait !== null) throw new Error('the payment of one checkout is begun again and again');
    const page = new URL(await within(paymentBeginTimeout, (signal) => method.begin(order, signal)));
    if (!method.origins.includes(page.origin)) throw new Error('the page is of no origin of the provider');
    return page.href;
  } catch (error) {
    request.log.error({ err: error, payment: method.name }, 'a payment cannot begin');
    return null;
  }
}

/** What is done in time (ms), whether or not the signal is heeded. @throws if it is not */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the payment provider does not answer')));
  });
  return Promise.race([work(signal), late]);
}

/** GET /checkout/{id}/return: where the provider's page leads back to. */
export function paymentReturnPage(app: FastifyInstance, deps: Deps): void {
  const url = '/checkout/:id/return';
  refuseOtherMethods(app, url, ['GET']);
  app.get(url, (_request, reply) => comeBack(reply, deps));
}

/**
 * A provider's signed report is taken from any sender: the session may be over by now. Without one the
 * member waits, since the provider tells us by itself as well.
 */
async function comeBack(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { tenant } = request;
  const { id } = request.params as { id: string };
  const checkout = await transactionOf(request, deps, (tx) => findCheckout(tx, tenant.id, id));
  const method = checkout === null ? null : paymentMethod(deps.payments, checkout.payment);
  const query = new URL(request.url, tenant.issuer).searchParams;
  const report = method?.kind === 'hosted' ? await method.readReturn(query) : null;
  const ownReport = report?.checkoutId === id ? report : null;
  if (method !== null && ownReport?.kind === 'paid') {
    const paid = await take(request, method.name, ownReport, deps);
    if (paid.kind === 'paid') {
      return leaveCompleted(reply, { checkout: paid.checkout, here: `/checkout/${id}` });
    }
  }
  return enter(checkoutGuard(deps), reply, (_tx, visit) => () => {
    const isOpen = checkoutStanding(visit.checkout, deps.clock()) === 'open';
    if (method?.kind !== 'hosted' || !isOpen || ownReport?.kind === 'unpaid') {
      return reply.redirect(visit.here, 303);
    }
    return sendCheckoutPage(visit, {
      template: 'waiting',
      title: 'checkout.waiting.title',
      // Without what the provider added: it has been read.
      data: { reload: visit.here.replace(id, `${id}/return`) },
    });
  });
}

/** POST /checkout/payments/{method}: a provider's server reports a payment. Its signature is all it needs. */
export function paymentNotices(app: FastifyInstance, deps: Deps): void {
  const url = '/checkout/payments/:method';
  refuseOtherMethods(app, url, ['POST']);
  // A signature is of the bytes, so they are left as they came.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytes }, (_, body, done) =>
    done(null, body),
  );
  app.post(url, (_request, reply) => takeNotice(reply, deps));
}

async function takeNotice(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { method: name } = request.params as { method: string };
  const method = paymentMethod(deps.payments, name);
  if (method?.kind !== 'hosted') {
    return sendRefusal(reply, refusal('invalid_request', 'there is no such payment method'), 404);
  }
  const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  const report = await method.readNotice(request.headers, body);
  if (report === null) {
    noteRefusal(request, { event: 'payment_refused', reason: `${name}: the signature is not right` });
    return sendRefusal(reply, refusal('invalid_request', 'the signature is not right'));
  }
  if (report.kind === 'unpaid') return noStore(reply).send();
  const paid = await take(request, name, report, deps);
  switch (paid.kind) {
    case 'paid':
      return noStore(reply).send();
    case 'unknown':
      return sendRefusal(reply, refusal('invalid_request', 'there is no such checkout'), 404);
    case 'wrong-price':
      return sendRefusal(reply, refusal('invalid_request', 'the checkout has another price'), 409);
  }
}

type PaidReport = Extract<PaymentReport, { kind: 'paid' }>;

/** Gives what was paid for, once however often and by whomever it is reported. */
async function take(request: FastifyRequest, methodName: string, report: PaidReport, deps: Deps) {
  const { tenant } = request;
  const paid = await transactionOf(request, deps, async (tx) => {
    const answer = await takePayment(tx, tenant.id, methodName, report, deps, deps.clock());
    if (answer.kind === 'paid' && answer.given !== null) {
      await mailSubscribed(tx, tenant, answer.given, undefined, deps);
    }
    return answer;
  });
  const facts = { tenant: tenant.name, checkout: report.checkoutId, payment: methodName };
  if (paid.kind !== 'paid') {
    const reason = `${methodName}: ${paid.kind === 'unknown' ? 'there is no such checkout' : 'it is of another price'}`;
    noteRefusal(request, { event: 'payment_refused', reason });
  }
  if (paid.kind === 'wrong-price') request.log.error(facts, 'a payment is not of the price of its checkout');
  // The subscription is given once; a member who paid twice is owed the second payment.
  if (paid.kind === 'paid' && paid.given === null) {
    const { paymentReference } = paid.checkout;
    const isAnother = paymentReference !== null && paymentReference !== report.paymentReference;
    if (isAnother) request.log.error(facts, 'a checkout was paid twice');
  }
  return paid;
}
