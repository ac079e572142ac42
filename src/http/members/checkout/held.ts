// The page of a member who has the package already.
import type { FastifyReply } from 'fastify';
import type { Package } from '../../../core/access/package.ts';
import type { Subscription } from '../../../core/access/subscription.ts';
import type { Language } from '../../../text/language.ts';
import type { PageDeps } from '../../pages/guarded-page.ts';
import { sendPage } from '../../pages/pages.ts';
import type { CurrentSession } from '../../session.ts';
import { dayOf } from '../account/times.ts';
import { allowedOnly, type CheckoutRequest, checkoutFields, sealOrder } from './order.ts';

/** What a member has who wants to order it. */
export interface Held extends CurrentSession {
  readonly offer: Package;
  readonly subscription: Subscription;
  readonly asked: CheckoutRequest;
}

/** The page of a member who has the package already: the way on, and none to order it again. */
export function sendHeld(
  reply: FastifyReply,
  language: Language,
  { member, offer, subscription, ...held }: Held,
  deps: PageDeps,
): Promise<FastifyReply> {
  const asked = { ...allowedOnly(held.asked, reply.request.tenant), packageId: offer.id };
  const until = dayOf(subscription.expiresAt ?? deps.clock(), language.tag);
  return sendPage(reply, {
    template: 'members/checkout/done.eta',
    language,
    title: 'checkout.held.title',
    again: { action: '/checkout', fields: checkoutFields(asked) },
    data: {
      lead: language.t('checkout.until', { package: offer.name, date: until }),
      notes: [],
      onward: asked.onCheckoutCompletedUrl,
      member,
      order: sealOrder(reply, asked, deps),
    },
  });
}
