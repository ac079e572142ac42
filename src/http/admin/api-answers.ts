// Sends why an operation of the admin API was refused.
import type { FastifyReply } from 'fastify';
import type { Problem } from '../../core/problem.ts';
import { problemLine, problemText } from '../../operations/problem-text.ts';
import type { OperationRefused } from '../../operations/refusal.ts';
import { sendJson } from '../answers.ts';

/** The one table from an operation's no to its status; the codes are for programs. */
const answerOf = {
  invalid: { status: 400, error: 'invalid_request' },
  denied: { status: 403, error: 'insufficient_scope' },
  unknown: { status: 404, error: 'not_found' },
  conflict: { status: 409, error: 'conflict' },
} as const satisfies Readonly<Record<OperationRefused['kind'], { status: number; error: string }>>;

/** Sends why an operation did nothing: every problem at once, and all of them in one line (RFC 6750 §3). */
export function sendOperationRefused(
  reply: FastifyReply,
  { kind, problems }: OperationRefused,
): FastifyReply {
  const { status, error } = answerOf[kind];
  const description = plain(problemLine(problems));
  if (kind === 'denied') {
    const challenge = `Bearer realm="memberdoor", error="${error}", error_description="${description}"`;
    reply.header('www-authenticate', challenge);
  }
  return sendJson(
    reply,
    { error, error_description: description, problems: problems.map(problemAnswer) },
    status,
  );
}

/** A problem for programs, with its words for people. */
function problemAnswer({ path, code, values, position }: Problem) {
  return { path, code, values, message: problemText({ path, code, values }), ...position };
}

/** What may stand in an error_description, and in a header (RFC 6749 §5.2; H17). */
function plain(text: string): string {
  return text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replaceAll(/[^ -~]/g, '?');
}
