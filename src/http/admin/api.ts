// Serves every operation of the table as the admin API.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { bodyBytes } from '../../core/limits.ts';
import { idempotency } from '../../core/operators/limits.ts';
import { type Problem, problem } from '../../core/problem.ts';
import { heedsKeys, KeyRefused } from '../../operations/admin/once.ts';
import { isFile, type Operation } from '../../operations/admin/operation.ts';
import { problemLine, problemText } from '../../operations/problem-text.ts';
import { invalid, OperationRefused, refuseIfAny } from '../../operations/refusal.ts';
import { apiErrorHandler, noStore, refuseOtherMethods, sendJson, sendTooMany } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { jsonBody, queryOf } from '../form.ts';
import { noteLimit } from '../limit-reached.ts';
import { sendBearerProblem } from '../oidc/bearer.ts';
import { type Caller, TokenOver, tokenActor } from './api-token.ts';
import { callOperation, sendFileAnswer, TooManyCalls } from './call.ts';
import { countCall } from './call-limit.ts';
import { queryFields } from './query-fields.ts';

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
    bodyLimit: operation.bodyBytes ?? bodyBytes,
    // Before the body is read: a caller who may not call hears that, and nothing of what else is wrong.
    onRequest: async (request, reply) => {
      const caller = await authenticate(request, reply);
      if (caller === null || !(await countCall(reply, caller, deps))) return reply;
    },
    handler: async (request, reply) => {
      // The body may have taken its time, and the token been revoked meanwhile.
      const caller = await authenticate(request, reply);
      if (caller === null) return reply;
      const { actor } = caller;
      // What comes through the local socket has no address.
      const address = actor.kind === 'operator' ? null : request.address;
      try {
        const call = {
          ...caller,
          operation,
          input: inputOf(request, operation),
          address,
          ...keyOf(request, operation),
        };
        const answer = await callOperation(call, deps, isDenial);
        if (isFile(operation, answer)) return sendFileAnswer(noStore(reply), answer, call, deps);
        return sendJson(reply, answer);
      } catch (error) {
        if (error instanceof TooManyCalls)
          return sendTooMany(reply, error.retryAfter, error.limit, error.counted);
        if (error instanceof KeyRefused) return sendKeyRefused(reply, error);
        if (error instanceof TokenOver) return sendBearerProblem(reply, 'invalid_token');
        if (!(error instanceof OperationRefused)) throw error;
        return sendOperationRefused(reply, error);
      }
    },
  });
}

/** The key of a call that is to be made once (draft-ietf-httpapi-idempotency-key-header), quoted or not. */
function keyOf({ headers }: FastifyRequest, operation: Operation): { readonly key?: string } {
  const sent = headers['idempotency-key'];
  if (sent === undefined || !heedsKeys(operation)) return {};
  const [, quoted] = /^"(.*)"$/.exec(String(sent)) ?? [];
  const key = quoted ?? String(sent);
  if (!/^[!#-[\]-~]+$/.test(key)) throw invalid('Idempotency-Key', 'malformed');
  if (key.length <= idempotency.keyLength) return { key };
  throw invalid('Idempotency-Key', 'too_long', { most: idempotency.keyLength });
}

/** 409 while the first call of a key is under way, 422 where the key came with another body before. */
function sendKeyRefused(reply: FastifyReply, { kind }: KeyRefused): FastifyReply {
  const { status, code } = keyAnswers[kind];
  const found = problem('Idempotency-Key', code);
  const description = plain(problemLine([found]));
  const error = status === 409 ? 'conflict' : 'invalid_request';
  return sendJson(reply, { error, error_description: description, problems: [problemAnswer(found)] }, status);
}

const keyAnswers = {
  in_use: { status: 409, code: 'key_in_use' },
  reused: { status: 422, code: 'key_reused' },
} as const;

/** What is not there counts too: a token that looks for ids meets the limit. */
const isDenial = ({ kind }: OperationRefused) => kind === 'denied' || kind === 'unknown';

/** Lets the routes of a scope take JSON, or no body at all whatever its type is said to be; nothing else. */
function takeJsonOrNothing(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json *(?:; *charset="?utf-8"?)?$/i,
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => (bytes.length === 0 ? {} : jsonBody(bytes)),
  );
}

/**
 * The input of an operation: the fields of path, query and body together. In the query one that is sent several
 * times is a list, and an object is written part by part, such as `filter[updatedAt][gte]`; an empty value is an empty
 * text, which most fields refuse.
 *
 * @throws OperationRefused if a field is in two places, since either may be meant
 */
function inputOf(request: FastifyRequest, operation: Operation): Readonly<Record<string, unknown>> {
  const query = queryOf(request);
  if (query === null) throw invalid([], 'query_malformed');
  // No body is one thing, and `null` in JSON another.
  const body = request.body === undefined ? {} : request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid([], 'not_an_object');
  }
  const fields = [
    ...Object.entries(request.params as Readonly<Record<string, string>>),
    ...queryFields(query, operation.input),
    ...Object.entries(body),
  ];
  // A body may have tens of thousands of names: each is looked at once.
  const names = new Set<string>();
  const twice = new Set<string>();
  for (const [name] of fields) (names.has(name) ? twice : names).add(name);
  refuseIfAny([...twice].map((name) => problem(name, 'sent_twice')));
  return Object.fromEntries(fields);
}

/** The one table from an operation's no to its status; the codes are for programs. */
const answerOf = {
  invalid: { status: 400, error: 'invalid_request' },
  denied: { status: 403, error: 'insufficient_scope' },
  unknown: { status: 404, error: 'not_found' },
  conflict: { status: 409, error: 'conflict' },
  limited: { status: 429, error: 'temporarily_unavailable' },
} as const satisfies Readonly<Record<OperationRefused['kind'], { status: number; error: string }>>;

/** Sends why an operation did nothing: every problem at once, and all of them in one line (RFC 6750 §3). */
function sendOperationRefused(
  reply: FastifyReply,
  { kind, problems, retryAfter }: OperationRefused,
): FastifyReply {
  const { status, error } = answerOf[kind];
  const description = plain(problemLine(problems));
  if (kind === 'denied') {
    const challenge = `Bearer realm="memberdoor", error="${error}", error_description="${description}"`;
    reply.header('www-authenticate', challenge);
  }
  if (retryAfter !== null) noteLimit(reply.header('retry-after', retryAfter), 'mails');
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
