import { once } from 'node:events';
import {
  createServer as createPlain,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, createServer as createRaw, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createOutbound, type Outbound, type OutboundDeps } from '../../../src/system/outbound/outbound.ts';
import { type Certificate, makeAuthority } from '../proxy/certificate.ts';

/** What came to a receiver. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a call. @param received what came with it, which need not be the newest: calls overlap */
export type Answering = (
  request: IncomingMessage,
  reply: ServerResponse<IncomingMessage>,
  received: Received,
) => void;

/** Another party's server, until the test is over. */
export interface Receiver {
  readonly port: number;
  /** Everything that came, oldest first. */
  readonly received: readonly Received[];
}

const day = 24 * 60 * 60 * 1_000;

/** The authority that `testOutbound` trusts, and nothing else does. */
const authority = makeAuthority(Date.now());

/** A certificate of the authority that `testOutbound` trusts. */
export const certificateFor = (...names: readonly string[]): Certificate =>
  authority.issue(names, Date.now() - day, Date.now() + day);

/** What answers a call: 200 without a body unless given. */
export interface ReceiverOptions {
  readonly answer?: Answering;
  /** https with this certificate; http unless given. */
  readonly certificate?: Certificate;
  /** 127.0.0.1 unless given. */
  readonly address?: string;
}

/** Starts a receiver on a port of its own. */
export async function startReceiver({
  answer = (_request, reply) => reply.end(),
  certificate,
  address,
}: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = [];
  const listener = async (request: IncomingMessage, reply: ServerResponse<IncomingMessage>) => {
    const { method = '', url: path = '', headers } = request;
    const call = { method, path, headers, body: await text(request).catch(() => '') };
    received.push(call);
    answer(request, reply, call);
  };
  const server =
    certificate === undefined ? createPlain(listener) : createSecure({ ...certificate }, listener);
  return { port: await listening(server, address), received };
}

/** Starts what is no HTTP server. @param speak what it says to a connection */
export async function startSpeaker(speak: (socket: Socket) => void): Promise<number> {
  return listening(
    createRaw((socket) => {
      socket.on('error', () => {});
      speak(socket);
    }),
  );
}

/** Lets a server listen until the test is over. @returns its port */
export async function listening(server: Server, address = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * A client for calls as the service has it, but that every host is found on the loopback address, which it dials, and
 * that it trusts `certificateFor`: production tenants can call a receiver of a test by any name.
 */
export function testOutbound(
  deps: Pick<OutboundDeps, 'clock' | 'schedule'> & Partial<OutboundDeps>,
): Outbound {
  return createOutbound({
    log: () => ({ info: () => {} }),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    mayDial: (address) => address === '127.0.0.1',
    ca: [authority.cert],
    ...deps,
  });
}
