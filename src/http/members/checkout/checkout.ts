// Registers the pages of the checkout.
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../deps.ts';
import { guardedPage } from '../../pages/guarded-page.ts';
import { beginPage } from './begin.ts';
import { offerPage } from './offer.ts';
import { paymentReturnPage } from './payment.ts';
import { summaryPage } from './summary.ts';
import { checkoutGuard } from './visit.ts';

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
  offerPage(app, deps);
  beginPage(app, deps);
  guardedPage(app, checkoutGuard(deps), summaryPage);
  paymentReturnPage(app, deps);
}
