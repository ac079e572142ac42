// Counts how often a header stands in a request.
import type { FastifyRequest } from 'fastify';

/**
 * How often a header stands in a request. Node keeps the first of two Host or Authorization headers, and who
 * stands before us may have looked at the other (RFC 9112 §3.2; M2).
 *
 * @param name in lower case
 */
export function headerLines({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) lines += 1;
  }
  return lines;
}
