// Answers requests that HTTP itself cannot make sense of.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { overHttps, setSecurityHeaders } from '../headers.ts';

/** Answers an address that no router can read, such as `/%zz`; what was sent is not repeated (H17). */
export function answerBadAddress(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  setSecurityHeaders(reply);
  reply.status(400).type('text/plain; charset=utf-8').send('Bad request\n');
}

const closing = { ...overHttps, connection: 'close', 'content-length': '0' };
const closingHead = Object.entries(closing)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Answers an unknown `Expect` (RFC 9110 §10.1.1), which Node would do without our headers (W2). */
export function answerUnknownExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, closing).end();
}

/**
 * Answers a method that is none of HTTP's: the parser also takes RTSP, whose methods no router knows, so that not even
 * a hook would run for them (W2).
 */
export function answerForeignMethod(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(400, closing).end();
}

/** Answers CONNECT, to which Node would only hang up: this is no proxy (H7). */
export function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.end(`HTTP/1.1 405 ${STATUS_CODES[405]}\r\nallow: GET, HEAD, POST\r\n${closingHead}\r\n`);
}

/** Answers what is not HTTP, too long in its head or too slow, with a status alone, and closes (H4, H14). */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const status = statusOf(error.code);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${closingHead}\r\n`);
  }
  socket.destroySoon();
}

function statusOf(code: string | undefined): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
}
