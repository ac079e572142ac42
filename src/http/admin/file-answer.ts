// Sends the file that an operation answers, part by part as it is taken.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type FileAnswer, mediaTypeOf } from '../../operations/admin/operation.ts';
import { type Call, partsOf } from '../../operations/admin/run.ts';
import type { Deps } from '../deps.ts';
import { operationDeps } from './call.ts';

/**
 * Sends a file whole. One part is read ahead of what the network takes. Where it cannot go on, the connection breaks
 * off: that is how HTTP says that an answer is not whole (RFC 9112 §8).
 */
export function sendFileAnswer(
  reply: FastifyReply,
  answer: FileAnswer,
  call: Call,
  deps: Deps,
): FastifyReply {
  reply.type(mediaTypeOf(call.operation, call.input));
  if (answer.more === undefined) return reply.send(answer.text);
  // For HEAD nothing more is read: only the head is sent, and it is the same.
  const parts = reply.request.method === 'HEAD' ? [] : partsOf(answer, call, deps.store, operationDeps(deps));
  return reply.send(Readable.from(parts));
}
