// The checkout page where the member confirms the order.
import type { FastifyReply } from 'fastify';
import { checkoutStanding } from '../../../core/access/checkout.ts';
import type { Consent } from '../../../core/access/consent.ts';
import {
  abandonCheckout,
  confirmOwnCheckout,
  heldSubscription,
  lacksAddress,
  offerDigest,
} from '../../../operations/access/checkout.ts';
import { answerConsents } from '../../../operations/access/consent.ts';
import { invoiceUrl } from '../../../operations/access/invoice.ts';
import { paymentMethod } from '../../../operations/access/payment.ts';
import { listConsents, listLastConsentChanges } from '../../../storage/access/consent.ts';
import { listInvoices } from '../../../storage/access/invoice.ts';
import type { Tx } from '../../../storage/store.ts';
import { pageForm, pageQuery } from '../../form.ts';
import type { Answer, GuardedPage, Next } from '../../pages/guarded-page.ts';
import { seatsOfRunning } from '../account/seats/group.ts';
import { boxesOf, readConsents } from '../consent-form.ts';
import { dayOf } from '../times.ts';
import { addressInWords, addressUrl, sendAddressForm, submitAddress } from './address.ts';
import { describeOffer } from './description.ts';
import { describePayment, mailSubscribed } from './invoice.ts';
import {
  allowedOnly,
  requestOf,
  restartUrl,
  sealOrder,
  sendHeld,
  sendNothingOrdered,
  stillAllowed,
} from './order.ts';
import { beginPayment } from './payment.ts';
import { type CheckoutVisit, leaveCompleted, orderOf, sendCheckoutPage } from './visit.ts';

/** GET and POST /checkout/{id}: what was ordered, to be looked at once more and confirmed (decision 40). */
export const summaryPage: GuardedPage<CheckoutVisit> = { url: '/checkout/:id', show, submit };

async function show(tx: Tx, visit: CheckoutVisit): Promise<Answer> {
  const { request, reply, checkout, member, language, chosen, deps } = visit;
  const standing = checkoutStanding(checkout, deps.clock());
  switch (standing) {
    case 'open': {
      const { change } = pageQuery(request, ['change']);
      const isAsked = lacksAddress(visit, member) || change === 'address';
      return isAsked ? () => sendAddressForm(visit) : showSummary(tx, visit);
    }
    case 'completed':
      return showCompleted(tx, visit);
    case 'cancelled':
    case 'expired': {
      const restart = restartUrl(requestOf(checkout, chosen), request.tenant);
      return () => sendNothingOrdered(reply, language, restart, standing);
    }
  }
}

/** The order to confirm, unless the member has got the package meanwhile. */
async function showSummary(tx: Tx, visit: CheckoutVisit, isPayable = true): Promise<Answer> {
  const { request, reply, checkout, offer, member, language, deps } = visit;
  const { t } = language;
  const now = deps.clock();
  const subscription = await heldSubscription(tx, member.id, checkout.packageId, now);
  const consents = await consentsToAsk(tx, visit);
  const asked = allowedOnly(requestOf(checkout, visit.chosen), request.tenant);
  if (subscription !== null) {
    const seats = await seatsOfRunning(tx, subscription, now);
    return () => sendHeld(reply, language, { ...visit, subscription, seats, asked }, deps);
  }
  return () =>
    sendCheckoutPage(visit, {
      template: 'summary',
      title: 'checkout.summary.title',
      ...(isPayable
        ? {}
        : { status: 503, problems: [{ field: 'confirm', text: t('checkout.error.payment') }] }),
      data: {
        offer: describeOffer(offer, language, checkout),
        orders: [orderOf(visit)],
        payment: paymentInWords(visit),
        address: addressInWords(visit),
        change: addressUrl(visit),
        seen: offerDigest(offer),
        member,
        consents: boxesOf(consents, readConsents(request, consents)),
        order: sealOrder(reply, asked, deps),
      },
    });
}

/** What the tenant asks for at a checkout and the member has not agreed to. */
async function consentsToAsk(tx: Tx, { member }: Pick<CheckoutVisit, 'member'>): Promise<readonly Consent[]> {
  const changes = await listLastConsentChanges(tx, member);
  const accepted = ({ id }: Consent) =>
    changes.findLast(({ consentId }) => consentId === id)?.status === 'accepted';
  return (await listConsents(tx, member.tenantId)).filter(
    (consent) => consent.atCheckout && !accepted(consent),
  );
}

function paymentInWords({ request, checkout, language: { tag, t }, deps }: CheckoutVisit): string {
  const method = paymentMethod(deps.payments, checkout.payment);
  if (method?.kind !== 'settled') {
    return t('checkout.payment.hosted', { method: method?.label(tag) ?? checkout.payment });
  }
  return t(`checkout.payment.${method.name}`, { days: request.tenant.invoicing.dueDays });
}

async function submit(tx: Tx, visit: CheckoutVisit, next: Next<CheckoutVisit>): Promise<Answer> {
  const { request, reply, here } = visit;
  const { action } = pageForm(request, ['action']);
  switch (action) {
    case 'address':
      return submitAddress(tx, visit);
    case 'confirm':
      return confirm(tx, visit, next);
    case 'cancel':
      return cancel(tx, visit);
    default:
      return () => reply.redirect(here, 303);
  }
}

/** Gives the subscription with all that belongs to it, or leads to its payment. */
async function confirm(tx: Tx, visit: CheckoutVisit, next: Next<CheckoutVisit>): Promise<Answer> {
  const { request, reply, checkout, member, here, deps } = visit;
  const { seen } = pageForm(request, ['seen']);
  const confirmed = await confirmOwnCheckout(tx, member, { id: checkout.id, seen }, deps, deps.clock());
  switch (confirmed.kind) {
    case 'completed':
      if (confirmed.given !== null) {
        await recordConsents(tx, visit);
        await mailSubscribed(tx, request.tenant, confirmed.given, request.headers['accept-language'], deps);
      }
      return () => leaveCompleted(reply, visit);
    case 'payment':
      return async () => pay(await beginPayment(visit, confirmed.method), next);
    case 'no-method':
      return showSummary(tx, visit, false);
    case 'look-again':
      return () => reply.redirect(here, 303);
  }
}

/** Leads to the payment, unless the checkout was paid or cancelled while the provider was asked for its page. */
function pay(address: string | null, next: Next<CheckoutVisit>): Promise<FastifyReply> {
  return next(async (tx, visit) => {
    const { reply, checkout, here, deps } = visit;
    if (address === null) return showSummary(tx, visit, false);
    const isOpen = checkoutStanding(checkout, deps.clock()) === 'open';
    if (isOpen) await recordConsents(tx, visit);
    return () => reply.redirect(isOpen ? address : here, 303);
  });
}

async function recordConsents(tx: Tx, visit: CheckoutVisit): Promise<void> {
  const { request, member, deps } = visit;
  const answers = readConsents(request, await consentsToAsk(tx, visit));
  await answerConsents(tx, member.tenantId, answers, {
    memberId: member.id,
    source: 'checkout',
    clientId: null,
    changedAt: deps.clock(),
  });
}

async function cancel(tx: Tx, visit: CheckoutVisit): Promise<Answer> {
  const { request, reply, checkout, here, deps } = visit;
  const isCancelled = await abandonCheckout(tx, checkout, deps.clock());
  const back = isCancelled ? stillAllowed(checkout.callBackUrl, request.tenant) : null;
  return () => reply.redirect(back ?? here, 303);
}

/** "You are subscribed": where the member has nowhere else to go, or came back. What is to be paid stands there. */
async function showCompleted(tx: Tx, visit: CheckoutVisit): Promise<Answer> {
  const { request, checkout, offer, member, language, deps } = visit;
  const { t } = language;
  const now = deps.clock();
  const subscription = await heldSubscription(tx, member.id, checkout.packageId, now);
  const seats = await seatsOfRunning(tx, subscription, now);
  const invoices = await listInvoices(tx, member.id);
  const invoice = invoices.find(({ subscriptionId }) => subscriptionId === checkout.subscriptionId);
  return () =>
    sendCheckoutPage(visit, {
      template: 'done',
      title: 'checkout.completed.title',
      data: {
        lead:
          subscription?.expiresAt == null
            ? offer.name
            : t('checkout.until', { package: offer.name, date: dayOf(subscription.expiresAt, language) }),
        invoice:
          invoice === undefined || invoice.paidAt !== null
            ? null
            : { url: invoiceUrl(invoice), ...describePayment(invoice, request.tenant, language) },
        mail: t('checkout.completed.mail', { email: member.email }),
        seats,
        onward: stillAllowed(checkout.onCheckoutCompletedUrl, request.tenant),
        member: null,
        order: null,
      },
    });
}
