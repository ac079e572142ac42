// The member API: its routes and its document.
import type { FastifyInstance } from 'fastify';
import { bodyBytes } from '../../core/limits.ts';
import { apiErrorHandler, refuseOtherMethods } from '../answers.ts';
import { servePublicDocument } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { jsonBody, queryOf } from '../form.ts';
import { consentRoutes, limitAnswers } from './consents.ts';
import { contentAccessRoute, explainRoute } from './content-access.ts';
import { namedMemberRoutes, serveNamedMember } from './named-member.ts';
import { profileRoute } from './profile.ts';
import { tellResourceMetadata } from './resource-metadata.ts';
import { type ApiRoute, serveRoutes } from './route.ts';

/** Every route of the member API by its address, in the order of the document. A new one is added here. */
export const apiRoutes = Map.groupBy<string, ApiRoute>(
  [profileRoute, contentAccessRoute, explainRoute, ...consentRoutes],
  ({ url }) => url,
);

/**
 * The member API (contract; decisions 2, 5, 38, 39) and its description.
 *
 * @param describe the document of everything below /api/v1: most starts never serve it
 */
export function memberApi(app: FastifyInstance, describe: () => object, deps: Deps): void {
  app.setErrorHandler(apiErrorHandler);
  takeJson(app);
  readQueries(app);
  tellResourceMetadata(app);
  // Everything of this scope is served on the API's own host too, preflights and refusals with it.
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, memberApi: true };
  });
  for (const [url, routes] of apiRoutes) {
    const limited = routes.map((route) => limitAnswers(route, deps.rateLimiter));
    app.register(async (scope) => serveRoutes(scope, url, limited, deps));
  }
  for (const route of namedMemberRoutes) {
    app.register(async (scope) => serveNamedMember(scope, route, deps));
  }
  const url = '/api/v1/openapi.json';
  refuseOtherMethods(app, url, ['GET', 'HEAD', 'OPTIONS']);
  servePublicDocument(app, url, {}, () => describe, describe);
}

/**
 * Lets the routes of a scope take bodies of JSON, and nothing else: `application/json`, alone or with
 * `charset=utf-8` (RFC 8259 §8.1, §11). What the scope above takes, such as forms, it takes no more.
 */
function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(?:; charset="utf-8")?$/i,
    { parseAs: 'buffer', bodyLimit: bodyBytes },
    async (_request: unknown, bytes: Buffer) => jsonBody(bytes),
  );
}

/**
 * Gives the routes of a scope their query, for their schemas to hold: an empty value counts as absent, and one
 * sent twice stays a list, which no schema lets through (decision 11). A malformed query is null.
 */
function readQueries(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    const form = queryOf(request);
    const given = [...(form ?? [])]
      .map(([name, values]) => [name, values.length > 1 ? values : values[0]])
      .filter(([, value]) => value !== '');
    request.query = form === null ? null : Object.fromEntries(given);
  });
}
