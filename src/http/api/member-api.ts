// The member API: its routes and its document.
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { metadataCacheSeconds } from '../../core/limits.ts';
import { apiErrorHandler, refuseOtherMethods } from '../answers.ts';
import { allowAnyOrigin } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { limitAnswers } from './consents.ts';
import { takeJson } from './json-body.ts';
import { readQueries } from './query.ts';
import { serveRoutes } from './route.ts';
import { apiRoutes } from './routes.ts';

/**
 * The member API (contract; decisions 2, 5, 38, 39) and its description.
 *
 * @param describe the document of everything below /api/v1
 */
export function memberApi(app: FastifyInstance, describe: () => object, deps: Deps): void {
  app.setErrorHandler(apiErrorHandler);
  takeJson(app);
  readQueries(app);
  // Everything of this scope is served on the API's own host too, preflights and refusals with it.
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, memberApi: true };
  });
  for (const url of new Set(apiRoutes.map((route) => route.url))) {
    const routes = apiRoutes
      .filter((route) => route.url === url)
      .map((route) => limitAnswers(route, deps.rateLimiter));
    app.register(async (scope) => serveRoutes(scope, url, routes, deps));
  }
  serveDocument(app, describe);
}

interface ServedDocument {
  readonly body: Buffer;
  readonly etag: string;
}

/** A document that most starts never serve, so it is made when it is asked for first. */
function makeDocument(describe: () => object): ServedDocument {
  const body = Buffer.from(JSON.stringify(describe()));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

/** GET /api/v1/openapi.json: the same for every client, so any client may read and keep it. */
function serveDocument(app: FastifyInstance, describe: () => object): void {
  const url = '/api/v1/openapi.json';
  let made: ServedDocument | undefined;
  app.options(url, async (_request, reply) => {
    allowAnyOrigin(reply);
    reply.headers({ 'access-control-allow-methods': 'GET', 'access-control-max-age': '600' });
    return reply.status(204).send();
  });
  refuseOtherMethods(app, url, ['GET', 'HEAD', 'OPTIONS']);
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => {
      made ??= makeDocument(describe);
      const { body, etag } = made;
      allowAnyOrigin(reply);
      reply.headers({ etag, 'cache-control': `public, max-age=${metadataCacheSeconds}` });
      if (request.headers['if-none-match']?.includes(etag)) return reply.status(304).send();
      return reply.type('application/json; charset=utf-8').send(body);
    },
  });
}
