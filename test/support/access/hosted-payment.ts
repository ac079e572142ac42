import { createHmac } from 'node:crypto';
import type { HostedMethod, PaymentOrder, PaymentReport } from '../../../src/operations/access/payment.ts';

/** What packages call this payment. */
export const hostedName = 'card';

/** What the provider and the service sign with. */
export const paymentSecret = 'secret of the payment provider';

const macOf = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('base64url');

/** A report as the provider adds it to the address that leads back. */
export function signedReturn(report: PaymentReport, secret = paymentSecret): string {
  const text = Buffer.from(JSON.stringify(report)).toString('base64url');
  return `?${new URLSearchParams({ result: text, signature: macOf(text, secret) })}`;
}

/** A report as the provider's server sends it. */
export function signedNotice(report: PaymentReport, secret = paymentSecret) {
  const body = JSON.stringify(report);
  return {
    body,
    headers: { 'content-type': 'application/json', 'x-signature': macOf(body, secret) },
  };
}

/** Card payments on the page of a provider, which is at this origin (see `startPaymentPage`). */
export function hostedPayment(origin: string): HostedMethod {
  return {
    kind: 'hosted',
    name: hostedName,
    label: (language) => (language === 'nb' ? 'kort' : 'card'),
    origins: [origin],
    begin: async (order: PaymentOrder, signal: AbortSignal) => {
      const answer = await fetch(`${origin}/payments`, {
        method: 'POST',
        body: JSON.stringify(order),
        signal,
      });
      if (!answer.ok) throw new Error(`the payment provider answered ${answer.status}`);
      return answer.text();
    },
    readReturn: async (query) => {
      const text = query.get('result') ?? '';
      if (query.get('signature') !== macOf(text, paymentSecret)) return null;
      return JSON.parse(Buffer.from(text, 'base64url').toString()) as PaymentReport;
    },
    readNotice: async (headers, body) => {
      const text = body.toString();
      return headers['x-signature'] === macOf(text, paymentSecret)
        ? (JSON.parse(text) as PaymentReport)
        : null;
    },
  };
}
