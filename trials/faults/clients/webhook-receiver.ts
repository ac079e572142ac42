import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** An event as a webhook is told of it. */
export interface Told {
  readonly id: string;
  readonly number: number;
  readonly type: string;
  readonly data: { readonly memberId?: string; readonly changed?: readonly string[] };
}

/** `takes` what comes; `fails` with 503; `loses` its answer: what it took comes again. */
export type Mood = 'takes' | 'fails' | 'loses';

/** Another system that is told of events, in the process of the trial. */
export interface WebhookReceiver {
  readonly url: string;
  /** Every event that was taken, in the order in which each came first. */
  readonly taken: readonly Told[];
  /** How many came again. */
  again(): number;
  /** What no secret signed, or came again with another content. */
  readonly wrong: readonly string[];
  secret: string;
  mood: Mood;
  close(): void;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const bodies = new Map<string, string>();
  const taken: Told[] = [];
  const wrong: string[] = [];
  let count = 0;
  const keep = (body: string, headers: Readonly<Record<string, string>>) => {
    // The package goes by the time of this machine, the service by one that the trial moves.
    const { 'webhook-id': id = '', 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers;
    const expected = new Webhook(receiver.secret).sign(id, new Date(Number(seconds) * 1_000), body);
    if (signature !== expected) wrong.push(`a message is not signed: ${body.slice(0, 100)}`);
    const known = bodies.get(id);
    if (known === undefined) taken.push(JSON.parse(body) as Told);
    else count += 1;
    if (known !== undefined && known !== body) wrong.push(`event ${id} came again with another content`);
    bodies.set(id, body);
  };
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    if (receiver.mood === 'fails') return void response.writeHead(503).end('out of order');
    keep(body, request.headers as Readonly<Record<string, string>>);
    if (receiver.mood === 'loses') return void request.socket.destroy();
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken,
    wrong,
    again: () => count,
    secret: '',
    mood: 'takes',
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
