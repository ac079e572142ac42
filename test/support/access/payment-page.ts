import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { PaymentOrder, PaymentReport } from '../../../src/operations/access/payment.ts';
import { signedReturn } from './hosted-payment.ts';

/** A payment provider: an address that begins payments, and a page with two buttons. */
export interface PaymentPage {
  readonly origin: string;
  /** Every payment that was begun, oldest first. */
  readonly orders: readonly PaymentOrder[];
  /** Answers every begin like this from now on; null is as usual: 200 and the address of the page. */
  answerWith(answer: { readonly status: number; readonly body: string } | null): void;
  stop(): Promise<void>;
}

export async function startPaymentPage(): Promise<PaymentPage> {
  const orders: PaymentOrder[] = [];
  let instead: { readonly status: number; readonly body: string } | null = null;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? '/';
    if (path === '/payments') {
      if (instead === null) orders.push(JSON.parse(body) as PaymentOrder);
      const usual = { status: 200, body: `http://localhost:${portOf()}/pay/${orders.length - 1}` };
      const { status, body: text } = instead ?? usual;
      response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
      return;
    }
    const order = orders[Number(path.slice('/pay/'.length))];
    if (order === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (request.method === 'POST') {
      const report = reportOf(order, new URLSearchParams(body).get('action') === 'pay');
      response.writeHead(303, { location: order.returnUrl + signedReturn(report) }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(order, path));
  }

  const portOf = () => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${portOf()}`,
    orders,
    answerWith: (next) => {
      instead = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What the provider reports of an order that was paid, or not. */
export function reportOf({ checkoutId, price }: PaymentOrder, isPaid: boolean): PaymentReport {
  return isPaid
    ? { kind: 'paid', checkoutId, price, paymentReference: `payment of ${checkoutId}` }
    : { kind: 'unpaid', checkoutId };
}

const pageOf = ({ packageName, price }: PaymentOrder, path: string) => `<!doctype html>
<title>Pay</title><link rel="icon" href="data:,">
<h1>${packageName}: ${price.amount} ${price.currency}</h1>
<form method="post" action="${path}">
<button name="action" value="pay">Pay</button> <button name="action" value="decline">Do not pay</button>
</form>`;
