import type { PaymentReport } from '../../../src/operations/access/payment.ts';
import { hosts } from '../fixtures.ts';
import type { Answer } from '../http.ts';
import { startTestService, type TestService } from '../service.ts';
import { hostedName, hostedPayment, paymentSecret, signedNotice } from './hosted-payment.ts';
import { type PaymentPage, startPaymentPage } from './payment-page.ts';
import { givenOf, type Summaries, type Summary, summariesOf } from './summaries.ts';

export const price = { amount: 49_900, currency: 'NOK' };

/** A member at the summary of a package that is paid by card. */
export interface CardSummary extends Summary {
  /** What the provider reports once it is paid. */
  readonly paid: Extract<PaymentReport, { kind: 'paid' }>;
  /** Where the provider's page leads back to. */
  readonly returnPath: string;
}

/** A service with a payment provider beside it. */
export interface CardShop {
  readonly service: TestService;
  readonly provider: PaymentPage;
  readonly summaries: Summaries;
  open(email?: string): Promise<CardSummary>;
  /** The provider's server reports. */
  notify(
    report: PaymentReport,
    options?: { host?: string; method?: string; secret?: string },
  ): Promise<Answer>;
  /** The state of a package's checkout, and how many subscriptions and mails there are of it. */
  given(packageId: number): Promise<{ state: unknown; subscriptions: number; mails: number }>;
  stop(): Promise<void>;
}

export const nothingGiven = { state: 'open', subscriptions: 0, mails: 0 };
export const givenOnce = { state: 'completed', subscriptions: 1, mails: 1 };

export async function startCardShop(): Promise<CardShop> {
  const provider = await startPaymentPage();
  const service = await startTestService({ data: 'security', payments: [hostedPayment(provider.origin)] });
  const summaries = summariesOf(() => service);
  return {
    service,
    provider,
    summaries,
    open: async (email) => {
      const summary = await summaries.open({ payment: hostedName, price }, email);
      const { id: checkoutId, path } = summary.ordering;
      const paymentReference = `payment of ${checkoutId}`;
      return {
        ...summary,
        paid: { kind: 'paid', checkoutId, price, paymentReference },
        returnPath: `${path}/return`,
      };
    },
    notify: (report, { host = hosts.a, method = hostedName, secret = paymentSecret } = {}) =>
      service.http(host, `/checkout/payments/${method}`, { method: 'POST', ...signedNotice(report, secret) }),
    given: async (packageId) => {
      const { checkouts, subscriptions, mails } = await givenOf(service, packageId);
      return { state: checkouts[0]?.state, subscriptions: subscriptions.length, mails: mails.length };
    },
    stop: async () => {
      await service.stop();
      await provider.stop();
    },
  };
}
