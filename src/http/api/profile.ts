import type { FastifyInstance, FastifyRequest } from 'fastify';
import { profileOf } from '../../core/access/profile.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { refuseOtherMethods, sendJson } from '../answers.ts';
import { cors } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { bearerMember, bearerToken, checkBearer, sendBearerProblem } from '../oidc/bearer.ts';

/**
 * GET /api/v1/members/profile/info-with-active-subscriptions (contract). The tenant is the one that issued
 * the token, whichever of the service's hosts is asked (decision 2).
 */
export function profileEndpoint(app: FastifyInstance, deps: Deps): void {
  const { store, tenants, clock } = deps;
  const url = '/api/v1/members/profile/info-with-active-subscriptions';
  const config = { memberApi: true };
  const allow = (_request: FastifyRequest, origin: string) =>
    tenants.all().some(({ webOrigins }) => webOrigins.has(origin));
  cors(app, url, ['GET'], allow, config);
  refuseOtherMethods(app, url, ['GET', 'HEAD', 'OPTIONS']);
  app.route({
    method: ['GET', 'HEAD'],
    url,
    config,
    handler: async (request, reply) => {
      const result = await checkBearer(bearerToken(request), tenants.byIssuer, deps);
      if (!result.ok) return sendBearerProblem(reply, result.problem);
      const profile = await store.transaction(async (tx) => {
        const now = clock();
        const member = await bearerMember(tx, result.bearer, now);
        return member === null ? null : profileOf(member, await listSubscriptions(tx, member.id), now);
      });
      if (profile === null) return sendBearerProblem(reply, 'invalid_token');
      return sendJson(reply, profile);
    },
  });
}
