// Serves every operation of the table as the admin API.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { jsonBodyBytes } from '../../core/limits.ts';
import { isFile, type Operation } from '../../operations/admin/operation.ts';
import { OperationRefused } from '../../operations/refusal.ts';
import { apiErrorHandler, noStore, refuseOtherMethods, sendJson, sendTooMany } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { sendBearerProblem } from '../oidc/bearer.ts';
import { sendOperationRefused } from './api-answers.ts';
import { inputOf, takeJsonOrNothing } from './api-input.ts';
import { type Caller, TokenOver, tokenActor } from './api-token.ts';
import { callOperation, sendFileAnswer, TooManyCalls } from './call.ts';

/** Below this address each operation is served at its own path. */
export const adminUrl = '/api/v1/admin';

/** Finds out who calls; null where the call is refused, and the answer that says so is sent. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller | null>;

/** The admin API: every operation of the table, by bearer token, on every host of ours. */
export function adminApi(app: FastifyInstance, operations: readonly Operation[], deps: Deps): void {
  // What a token may reach it says itself, so the API's own host serves it too (decision 2).
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, memberApi: true };
  });
  serveOperations(app, operations, deps, (request, reply) => tokenActor(request, reply, deps));
}

/**
 * Serves operations at their paths. No cookie is looked at and no other origin allowed, so no page of a
 * browser can call them (security, CORS).
 */
export function serveOperations(
  app: FastifyInstance,
  operations: readonly Operation[],
  deps: Deps,
  authenticate: Authenticate,
): void {
  app.setErrorHandler(apiErrorHandler);
  takeJsonOrNothing(app);
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const served = operations.filter((operation) => operation.path === path);
    refuseOtherMethods(app, urlOf(path), served.flatMap(methodsOf));
    for (const operation of served) serveOperation(app, operation, deps, authenticate);
  }
}

/** Paths are written as OpenAPI writes them; the router has its own way. */
function urlOf(path: string): string {
  return `${adminUrl}${path.replace(/\{(\w+)\}/g, ':$1')}`;
}

/** HEAD is served where GET is (H9). */
function methodsOf({ method }: Operation): HTTPMethods[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function serveOperation(
  app: FastifyInstance,
  operation: Operation,
  deps: Deps,
  authenticate: Authenticate,
): void {
  app.route({
    method: methodsOf(operation),
    url: urlOf(operation.path),
    bodyLimit: operation.bodyBytes ?? jsonBodyBytes,
    // Before the body is read: who may not call hears that, and nothing of what else is wrong.
    onRequest: async (request, reply) => {
      if ((await authenticate(request, reply)) === null) return reply;
    },
    handler: async (request, reply) => {
      // The body may have taken its time, and the token been revoked meanwhile.
      const caller = await authenticate(request, reply);
      if (caller === null) return reply;
      const { actor } = caller;
      // What comes through the local socket has no address.
      const address = actor.kind === 'operator' ? null : request.address;
      try {
        const call = { ...caller, operation, input: inputOf(request), address };
        const answer = await callOperation(call, deps, isDenial);
        if (isFile(operation, answer)) return sendFileAnswer(noStore(reply), answer, call, deps);
        return sendJson(reply, answer);
      } catch (error) {
        if (error instanceof TooManyCalls)
          return sendTooMany(reply, error.retryAfter, error.limit, error.counted);
        if (error instanceof TokenOver) return sendBearerProblem(reply, 'invalid_token');
        if (!(error instanceof OperationRefused)) throw error;
        return sendOperationRefused(reply, error);
      }
    },
  });
}

/** What is not there counts too: a token that looks for ids meets the limit. */
const isDenial = ({ kind }: OperationRefused) => kind === 'denied' || kind === 'unknown';
