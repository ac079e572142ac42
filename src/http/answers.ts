// Sends the answers of the protocol endpoints.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { type Refusal, refusal } from '../core/decision.ts';
import { retryAfterSeconds } from '../core/limits.ts';
import type { ErrorCode } from '../core/refusals/rule.ts';
import { isOutage } from '../log/log.ts';
import type { Counted } from '../storage/memory/rate-limit.ts';
import { type LimitName, noteLimit, tooMany } from './limit-reached.ts';

/** A refusal on its way out of a handler: thrown by what parses, before anything was decided. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly refusal: Refusal;

  constructor(refused: Refusal) {
    super(refused.description);
    this.refusal = refused;
  }
}

export function protocolError(error: ErrorCode, description: string): ProtocolError {
  return new ProtocolError(refusal(error, description));
}

/** The one table from error to status (RFC 6749 §5.2; decisions 15 and 16). */
const statusOf: Readonly<Record<ErrorCode, number>> = {
  access_denied: 400,
  authorization_pending: 400,
  consent_required: 400,
  expired_token: 400,
  interaction_required: 400,
  invalid_client: 401,
  invalid_dpop_proof: 400,
  invalid_client_metadata: 400,
  invalid_grant: 400,
  invalid_redirect_uri: 400,
  invalid_request: 400,
  invalid_request_object: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_software_statement: 400,
  invalid_token: 401,
  login_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  server_error: 503,
  slow_down: 400,
  temporarily_unavailable: 429,
  unauthorized_client: 400,
  unmet_authentication_requirements: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  use_dpop_nonce: 400,
};

/** Answers of the protocol endpoints are never stored (RFC 6749 §5.1; decision 16). */
export function noStore(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

export function sendJson(reply: FastifyReply, body: object, status = 200): FastifyReply {
  return noStore(reply).status(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Sends an OAuth error as JSON. */
export function sendRefusal(
  reply: FastifyReply,
  refused: Refusal,
  status = statusOf[refused.error],
): FastifyReply {
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) {
    const { reachedLimit } = reply.request;
    reply.header('retry-after', reachedLimit === undefined ? retryAfterSeconds : reachedLimit.wait / 1_000);
  }
  if (refused.error === 'invalid_client' && reply.request.headers.authorization !== undefined) {
    reply.header('www-authenticate', 'Basic realm="memberdoor"');
  }
  return sendJson(reply, { error: refused.error, error_description: refused.description }, status);
}

/** The answer of a limiter (decision 16). @param whom whom it counts, where that is not the address */
export function sendTooMany(
  reply: FastifyReply,
  retryAfter: number,
  limit: LimitName,
  whom?: Counted | string,
): FastifyReply {
  noteLimit(reply.header('retry-after', retryAfter), limit, whom);
  return sendRefusal(reply, tooMany);
}

/** The one error handler of the protocol endpoints: JSON whatever happens (decision 16). */
export function protocolErrorHandler(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ProtocolError) return sendRefusal(reply, error.refusal);
  if (isOutage(error)) {
    request.log.error({ err: error }, 'storage unavailable');
    return sendRefusal(reply, refusal('server_error', 'the service is busy, try again'));
  }
  if (error.statusCode === 413) {
    return sendRefusal(reply, refusal('invalid_request', 'the body is too large'), 413);
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return sendRefusal(
      reply,
      refusal('invalid_request', 'the body must be application/x-www-form-urlencoded'),
    );
  }
  request.log.error({ err: error }, 'unexpected error');
  return sendRefusal(reply, refusal('server_error', 'an unexpected error happened'), 500);
}

/** The error handler of the member and the admin API: as of the protocol endpoints, but bodies are JSON. */
export function apiErrorHandler(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error.statusCode === 415) {
    return sendRefusal(reply, refusal('invalid_request', 'the body must be application/json in UTF-8'), 415);
  }
  if (error.statusCode === 400) {
    return sendRefusal(reply, refusal('invalid_request', 'the body is malformed'));
  }
  return protocolErrorHandler(error, request, reply);
}

/** HEAD is served wherever GET is (H9). */
export function withHead(served: readonly HTTPMethods[]): readonly HTTPMethods[] {
  if (served.includes('HEAD')) return served;
  return served.flatMap((method) => (method === 'GET' ? (['GET', 'HEAD'] as const) : [method]));
}

export const everyMethod: readonly HTTPMethods[] = [
  'GET',
  'HEAD',
  'QUERY',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
];

/**
 * Answers every method that a route does not serve with 405 and what it does serve (H7).
 *
 * @param note hears of each
 * @param among others are answered elsewhere
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  url: string,
  served: readonly HTTPMethods[],
  note: (request: FastifyRequest) => void = () => {},
  among = everyMethod,
): void {
  const all = withHead(served);
  const method = among.filter((one) => !all.includes(one));
  if (method.length === 0) return;
  app.route({
    method,
    url,
    // The body of a method that is not served is not even read.
    onRequest: async (request, reply) => {
      note(request);
      return refuseMethod(reply, all);
    },
    handler: async () => {},
  });
}

export function refuseMethod(reply: FastifyReply, served: readonly HTTPMethods[]): FastifyReply {
  const refused = refusal('invalid_request', 'this method is not served here');
  return sendRefusal(reply.header('allow', served.join(', ')), refused, 405);
}
