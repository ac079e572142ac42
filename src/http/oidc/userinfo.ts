// The UserInfo endpoint.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { memberClaims, namedClaims } from '../../core/oidc/claims.ts';
import { scopeIncludes } from '../../core/oidc/scope.ts';
import { refuseOtherMethods, sendJson } from '../answers.ts';
import { transactionOf } from '../audit.ts';
import { cors, tenantDpop, tenantOrigins } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { bodyForm, pick } from '../form.ts';
import { bearerMember, sendBearerProblem, stoppedWorking } from './bearer.ts';
import { checkToken, sentToken } from './dpop/bound-token.ts';

/** GET and POST /api/oidc/me (Core §5.3; decision 3). */
export function userinfoEndpoint(app: FastifyInstance, deps: Deps): void {
  const url = '/api/oidc/me';
  cors(app, url, ['GET', 'POST'], tenantOrigins, {}, tenantDpop);
  refuseOtherMethods(app, url, ['GET', 'HEAD', 'POST', 'OPTIONS']);

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { tenant } = request;
    const { values, repeated } = pick(bodyForm(request) ?? new Map(), ['access_token']);
    const { access_token: inBody } = values;
    const inHeader = sentToken(request);
    // One token, in one place (RFC 6750 §2, §3.1).
    const isTwice = inBody !== undefined && request.headers.authorization !== undefined;
    if (isTwice || repeated.length > 0) return sendBearerProblem(reply, 'invalid_request');
    const tenantOf = (issuer: string) => (issuer === tenant.issuer ? tenant : null);
    const sent =
      inHeader ?? (inBody === undefined ? undefined : { scheme: 'bearer' as const, token: inBody });
    const result = await checkToken(request, reply, sent, tenantOf, deps);
    if (!result.ok) return sendBearerProblem(reply, result.problem, result);
    const { bearer } = result;
    request.caller = bearer;
    if (!scopeIncludes(bearer.scope, 'openid')) {
      return sendBearerProblem(reply, 'insufficient_scope', { bearer });
    }
    const member = await transactionOf(
      request,
      deps,
      (tx) => bearerMember(tx, bearer, deps.clock()),
      'lookUp',
    );
    if (member === null) return sendBearerProblem(reply, 'invalid_token', { bearer, reason: stoppedWorking });
    const { claims, scope } = bearer;
    const asked = claims === undefined ? {} : namedClaims(member, claims);
    return sendJson(reply, { sub: member.id, ...memberClaims(member, scope), ...asked });
  };
  app.route({ method: ['GET', 'HEAD', 'POST'], url, handler: answer });
}
