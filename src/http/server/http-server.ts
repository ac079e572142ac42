// Node's HTTP server with our limits, its port, and our answers to what HTTP itself cannot make sense of.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import {
  connectionsCheckingInterval,
  connectionTimeout,
  headerBytes,
  keepAliveTimeout,
  requestTimeout,
} from '../../core/limits.ts';
import { createServer, METHODS, STATUS_CODES } from '../../system/http.ts';
import { StartupError } from '../../system/startup-error.ts';
import { overHttps, setSecurityHeaders } from '../headers.ts';

const methods: ReadonlySet<string | undefined> = new Set(METHODS);

/** Node's server with our limits and with our answers to what no route is asked for (H4, H7, H14). */
export function createHttpServer(handle: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: requestTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval,
      // A request that names no host is refused with our headers (`tenant.ts`).
      requireHostHeader: false,
    },
    (request, response) => {
      if (methods.has(request.method)) handle(request, response);
      // The parser also takes RTSP, whose methods no router knows, so that not even a hook would run for them (W2).
      else answerAndClose(response, 400);
    },
  );
  server.setTimeout(connectionTimeout);
  // An unknown `Expect` (RFC 9110 §10.1.1): Node would answer it without our headers (W2).
  server.on('checkExpectation', (_request, response) => answerAndClose(response, 417));
  server.on('connect', answerConnect);
  return server;
}

/** Answers an address that no router can read, such as `/%zz`; what was sent is not repeated (H17). */
export function answerBadAddress(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  setSecurityHeaders(reply);
  reply.status(400).type('text/plain; charset=utf-8').send('Bad request\n');
}

const closing = { ...overHttps, connection: 'close', 'content-length': '0' };
const closingHead = Object.entries(closing)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

const answerAndClose = (response: ServerResponse, status: number) =>
  response.writeHead(status, closing).end();

/** Answers CONNECT, to which Node would only hang up: this is no proxy (H7). */
function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.end(`HTTP/1.1 405 ${STATUS_CODES[405]}\r\nallow: GET, HEAD, POST\r\n${closingHead}\r\n`);
}

/** Answers what is not HTTP, too long in its head or too slow, with a status alone, and closes (H4, H14). */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = malformedStatus[error.code ?? ''] ?? 400;
  if (socket.writable) socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${closingHead}\r\n`);
  socket.destroySoon();
}

const malformedStatus: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** What a machine without IPv6 says to it. */
const noAddress: readonly unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** The error codes for a host that is another machine's or does not exist. */
const noHost: readonly unknown[] = [...noAddress, 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

/**
 * Opens the port. `localhost` is both loopback addresses, since clients differ in which they try: the second hands
 * its connections to the server of the first, so that what holds for one (H4, W2, the drain) holds for both. Fastify
 * would open another server for it, which answers malformed requests in Node's way.
 *
 * @throws StartupError if the port cannot be had; nothing is open then
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<void> {
  try {
    await (host === 'localhost' ? listenOnLoopback(app, port) : open(app, host, port));
  } catch (error) {
    const code = codeOf(error);
    if (noHost.includes(code)) {
      throw new StartupError(`${host} is no address of this machine. Choose another with MEMBERDOOR_HOST.`);
    }
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const why = code === 'EACCES' ? 'is not allowed to this user' : 'is in use';
    throw new StartupError(`The port ${port} ${why}. Choose another with MEMBERDOOR_PORT.`);
  }
}

const open = (app: FastifyInstance, host: string, port: number) =>
  app.listen({ host, port, listenTextResolver: () => 'listening' });

async function listenOnLoopback(app: FastifyInstance, port: number): Promise<void> {
  const second = handingTo(app);
  // Requests under way are waited for by the app, whichever address they came to.
  app.addHook('onClose', async () => {
    second.close();
  });
  await open(app, '127.0.0.1', port);
  try {
    await new Promise<void>((resolve, reject) => {
      second.on('error', reject);
      second.listen({ host: '::1', port, ipv6Only: true }, resolve);
    });
  } catch (error) {
    if (noAddress.includes(codeOf(error))) return;
    await app.close();
    throw error;
  }
}

/** A server of connections alone, which the app's server answers. */
function handingTo(app: FastifyInstance): SocketServer {
  const second = createSocketServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    app.server.emit('connection', socket);
  });
  // A socket tells of what it cannot read to the server that accepted it.
  second.on('clientError', (error: Error, socket: Socket) => {
    app.server.emit('clientError', error, socket);
  });
  return second;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : '');
