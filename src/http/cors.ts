// Decides which origins may read an answer from a script.
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from 'fastify';
import { allowsOrigin } from '../core/oidc/web-origin.ts';
import { referenceHeader } from './request-log.ts';

/** Which origins may read a route from a script: all of them, or those that clients have registered. */
export type AllowOrigin = (request: FastifyRequest, origin: string) => boolean;

/** The registered web origins of the tenant's clients (security, CORS). */
export const tenantOrigins: AllowOrigin = ({ tenant }, origin) => allowsOrigin(tenant.webOrigins, origin);

/**
 * Lets scripts of allowed origins read a route, and answers its preflight (Fetch §3.2). Other origins get
 * the same answer without the header, which their browser then keeps from them (H10).
 *
 * @param config the settings of the route itself: its preflight is served wherever the route is
 */
export function cors(
  app: FastifyInstance,
  url: string,
  methods: readonly HTTPMethods[],
  allow: AllowOrigin,
  config: FastifyContextConfig = {},
): void {
  app.options(url, { config }, async (request, reply) => {
    if (allowOrigin(request, reply, allow)) {
      reply.headers({
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '600',
      });
    }
    return reply.header('cache-control', 'no-store').status(204).send();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url === url && request.method !== 'OPTIONS') allowOrigin(request, reply, allow);
    done();
  });
}

function allowOrigin(request: FastifyRequest, reply: FastifyReply, allow: AllowOrigin): boolean {
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin === undefined || !allow(request, origin)) return false;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': `${referenceHeader}, retry-after, www-authenticate`,
  });
  return true;
}
