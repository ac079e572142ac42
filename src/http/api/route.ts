// Defines a route of the member API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '../../core/decision.ts';
import type { Member } from '../../core/members/member.ts';
import { allowsOrigin } from '../../core/oidc/client/web-origin.ts';
import { type Sight, sightOf } from '../../core/oidc/scope.ts';
import type { Path } from '../../core/problem.ts';
import type { Schema } from '../../operations/json-schema.ts';
import { dotted, problemText } from '../../operations/problem-text.ts';
import { schemaProblem } from '../../operations/schema-problems.ts';
import { findClient } from '../../storage/clients/client.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseOtherMethods, sendRefusal, sendTooMany } from '../answers.ts';
import { transactionOf } from '../audit.ts';
import { type AllowOrigin, cors } from '../cors.ts';
import type { Bearer, Deps } from '../deps.ts';
import { countedMember } from '../limit-reached.ts';
import { bearerMember, sendBearerProblem, stoppedWorking } from '../oidc/bearer.ts';
import { checkToken, sentToken } from '../oidc/dpop/bound-token.ts';

/** A request that its schemas let through, from a member whose token works. */
export interface Call extends Pick<Bearer, 'clientId' | 'scope' | 'tenant'> {
  readonly member: Member;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** ms */
  readonly now: number;
}

export type ApiAnswer = { readonly status: 200; readonly body: object } | Refused;

/** A route of the member API: what OpenAPI says of it, what Fastify holds it to, and what it does. */
export interface ApiRoute<Found = unknown> {
  /** HEAD is served wherever GET is. */
  readonly method: 'GET' | 'PUT';
  /** With parameters as Fastify writes them: `/a/:id`. */
  readonly url: string;
  readonly operationId: string;
  readonly tag: ApiTag;
  readonly summary: string;
  readonly description: string;
  readonly params?: Schema;
  readonly querystring?: Schema;
  readonly body?: Schema;
  readonly answer: Schema;
  /** What it may answer beside what every route may: no token, a limit, storage in trouble. */
  readonly refusals: readonly (400 | 403 | 404 | 413 | 415)[];
  /** What it reads for every member: it is asked for together with the member. */
  readonly read?: (tx: Tx, memberId: string) => Promise<Found>;
  /** Everything else that it reads and writes, in the same transaction. */
  handle(tx: Tx, call: Call, found: Found): Promise<ApiAnswer>;
}

export type ApiTag = 'consents' | 'profile' | 'support';

/** Below this address the member API serves what belongs to a member. */
export const profileUrl = '/api/v1/members/profile';

/** What the document says of every answer that shows a member (decision 41). */
export const whatThirdPartiesGet =
  "The tenant's own clients get everything. A third party's client gets what the scope of its token names (profile, email, phone, address, subscriptions): the rest is null, empty or 0.";

/**
 * Serves the routes of one address, the preflights of registered origins, and 405 to other methods. The tenant
 * is the one that issued the token, whichever of the service's hosts is asked (decision 2).
 */
export function serveRoutes(
  app: FastifyInstance,
  url: string,
  routes: readonly ApiRoute[],
  deps: Deps,
): void {
  const methods = routes.map(({ method }) => method);
  const allow: AllowOrigin = (_request, origin) =>
    deps.tenants.all().some(({ webOrigins }) => allowsOrigin(webOrigins, origin));
  cors(app, url, methods, allow, {}, () => deps.tenants.all().some(({ dpop }) => dpop));
  refuseOtherMethods(app, url, [...methods, 'OPTIONS']);
  for (const route of routes) serveRoute(app, route, deps);
}

function serveRoute(app: FastifyInstance, route: ApiRoute, deps: Deps): void {
  const { method, url, params, querystring, body } = route;
  app.route({
    method: method === 'GET' ? ['GET', 'HEAD'] : method,
    url,
    schema: {
      ...(params && { params }),
      ...(querystring && { querystring }),
      ...(body && { body }),
      response: { 200: route.answer },
    },
    // A request without a token is refused before its body is read (RFC 6750 §3).
    onRequest: async (request, reply) =>
      sentToken(request) === undefined ? sendBearerProblem(reply, null, { takesDpop: true }) : undefined,
    // Whose token does not work hears nothing of what else is wrong.
    attachValidation: true,
    handler: async (request, reply) => {
      const result = await checkToken(request, reply, sentToken(request), deps.tenants.byIssuer, deps);
      if (!result.ok) return sendBearerProblem(reply, result.problem, result);
      const { validationError, params, query, body } = request;
      if (validationError !== undefined) {
        return sendRefused(reply, { status: 400, description: descriptionOf(validationError) });
      }
      const { bearer } = result;
      const { tenant, clientId, scope } = bearer;
      request.caller = bearer;
      const work = async (tx: Tx) => {
        const now = deps.clock();
        const [member, found] = await Promise.all([
          bearerMember(tx, bearer, now),
          route.read?.(tx, bearer.memberId),
        ]);
        if (member === null) return null;
        return route.handle(tx, { tenant, member, clientId, scope, params, query, body, now }, found);
      };
      const answer = await transactionOf(request, deps, work, method === 'GET' ? 'lookUp' : 'transaction');
      if (answer === null)
        return sendBearerProblem(reply, 'invalid_token', { bearer, reason: stoppedWorking });
      if (answer.status !== 200) return sendRefused(reply, answer, bearer);
      reply.header('cache-control', 'private, no-store').type('application/json; charset=utf-8');
      return reply.send(answer.body);
    },
  });
}

/** Why a call is answered by no: no well-formed wish, not for this token, about nothing, or once too often. */
type Refused =
  | {
      readonly status: 400 | 403 | 404;
      /** ASCII without `"` and `\`; it never echoes the input (H17). */
      readonly description: string;
    }
  /** Seconds until it may be tried again. */
  | { readonly status: 429; readonly retryAfter: number; readonly memberId: string };

/** Sends a refusal; one that another token might not meet in the form of RFC 6750 §3.1. */
function sendRefused(reply: FastifyReply, refused: Refused, bearer?: Bearer): FastifyReply {
  if (refused.status === 429)
    return sendTooMany(reply, refused.retryAfter, 'consent_answers', countedMember(refused.memberId));
  const { status, description } = refused;
  if (status === 403) {
    return sendBearerProblem(reply, 'insufficient_scope', { text: description, ...(bearer && { bearer }) });
  }
  return sendRefusal(reply, refusal('invalid_request', description), status);
}

type ValidationError = NonNullable<FastifyRequest['validationError']>;

/** Says what is wrong with a request, without what was sent: the name of an unknown property is a stranger's, too. */
function descriptionOf({ validation, validationContext }: ValidationError): string {
  const [error] = validation ?? [];
  const what = validationContext === 'body' ? 'body' : 'query';
  if (error === undefined) return `the ${what} is not valid`;
  const found = schemaProblem(error);
  const nameOf = (path: Path) => (path.length === 0 ? `the ${what}` : dotted(path));
  if (found.code === 'unknown_field') return `${nameOf(found.path.slice(0, -1))} has an unknown property`;
  // Every value of a query is a string, unless there were several (decision 11).
  if (what === 'query' && found.code === 'wrong_type') {
    if (found.path.length === 0) return 'the query is malformed';
    return `${dotted(found.path)} was sent more than once`;
  }
  return problemText(found, nameOf);
}

/**
 * Whether a token is of one of the tenant's own clients. A third party's client may read what its member allowed,
 * and nothing more (decision 41); one that is registered no more has no claim to more than that.
 */
export async function isFirstParty(tx: Tx, { tenant, clientId }: Call): Promise<boolean> {
  const client = await findClient(tx, tenant.id, clientId);
  return client !== null && !client.thirdParty;
}

/** What the client of a token sees of its member (decision 41). */
export const sightOfCall = async (tx: Tx, call: Call): Promise<Sight> =>
  sightOf(await isFirstParty(tx, call), call.scope);
