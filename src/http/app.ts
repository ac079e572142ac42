import { randomInt } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import fastifyFormbody from '@fastify/formbody';
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import { refusal } from '../core/decision.ts';
import {
  bodyBytes,
  connectionsCheckingInterval,
  connectionTimeout,
  headerBytes,
  noticeLength,
  requestTimeout,
} from '../core/limits.ts';
import { StorageUnavailable } from '../storage/group-commit.ts';
import { protocolErrorHandler, sendRefusal } from './answers.ts';
import { memberApi } from './api/member-api.ts';
import type { Deps } from './deps.ts';
import { parseForm } from './form.ts';
import { securityHeaders } from './headers.ts';
import { answerBadAddress, answerMalformed } from './malformed.ts';
import { accountPages } from './members/account/account.ts';
import { checkoutPages } from './members/checkout/checkout.ts';
import { paymentNotices } from './members/checkout/payment.ts';
import { devicePages } from './members/device.ts';
import { recoverPages } from './members/recover.ts';
import { scopeConsentPage } from './members/scope-consent.ts';
import { signInPage } from './members/sign-in.ts';
import { signUpPage } from './members/sign-up.ts';
import { signUpProofPages } from './members/sign-up-proof.ts';
import { authorizationEndpoint } from './oidc/authorize.ts';
import { deviceAuthorizationEndpoint } from './oidc/device-authorization.ts';
import { discoveryEndpoints } from './oidc/discovery.ts';
import { logoutEndpoint } from './oidc/logout.ts';
import { revocationEndpoint } from './oidc/revocation.ts';
import { tokenEndpoint } from './oidc/token.ts';
import { userinfoEndpoint } from './oidc/userinfo.ts';
import { pages } from './pages.ts';
import { pageErrorHandler, sendProblem } from './problem.ts';
import { outboxPages } from './rehearsal/outbox.ts';
import { findTenant, refuseUnknownHosts } from './tenant.ts';

/** Everything that answers HTTP, wired by name. */
export function buildApp(deps: Deps, logger: FastifyServerOptions['logger']): FastifyInstance {
  const app = fastify({
    ...(logger === undefined ? {} : { logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newReference,
    trustProxy: deps.config.trustedProxies.length > 0 ? [...deps.config.trustedProxies] : false,
    bodyLimit: bodyBytes,
    // What a schema does not allow is refused, not mended.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    requestTimeout,
    connectionTimeout,
    exposeHeadRoutes: false,
    routerOptions: {
      // Queries are read by `queryOf`, strictly, and only where a route has one.
      querystringParser: () => ({}),
      // The sealed links of our mails are longer than a router expects.
      maxParamLength: noticeLength,
    },
    http: { maxHeaderSize: headerBytes, headersTimeout: requestTimeout, connectionsCheckingInterval },
    return503OnClosing: false,
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerMalformed,
  });
  logRequests(app);
  findTenant(app, deps);
  securityHeaders(app);
  refuseUnknownHosts(app, deps);
  refuseWhileClosing(app);
  app.removeAllContentTypeParsers();
  app.register(fastifyFormbody, { bodyLimit: bodyBytes, parser: parseForm as never });
  app.register(fastifyCookie);
  pages(app);

  app.register(async (protocol) => {
    protocol.setErrorHandler(protocolErrorHandler);
    const endpoints = [
      tokenEndpoint,
      deviceAuthorizationEndpoint,
      revocationEndpoint,
      userinfoEndpoint,
      memberApi,
      paymentNotices,
    ];
    for (const endpoint of endpoints) {
      protocol.register(async (scope) => endpoint(scope, deps));
    }
    discoveryEndpoints(protocol);
  });
  app.register(async (site) => {
    site.setErrorHandler(pageErrorHandler);
    authorizationEndpoint(site, deps);
    logoutEndpoint(site, deps);
    signInPage(site, deps);
    signUpPage(site, deps);
    signUpProofPages(site, deps);
    recoverPages(site, deps);
    scopeConsentPage(site, deps);
    accountPages(site, deps);
    checkoutPages(site, deps);
    outboxPages(site, deps);
    site.register(async (scope) => devicePages(scope, deps));
  });
  app.setErrorHandler(pageErrorHandler);
  app.setNotFoundHandler((request, reply) =>
    request.url.startsWith('/api/')
      ? sendRefusal(reply, refusal('invalid_request', 'there is nothing at this address'), 404)
      : sendProblem(reply, 'notFound'),
  );
  return app;
}

/** A short reference for one request, that a person can read out: it stands in the log and on error pages. */
function newReference(): string {
  return randomInt(36 ** 8)
    .toString(36)
    .padStart(8, '0');
}

/** One line a request: the route's pattern, never the address as it was sent. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        tenant: request.tenant?.name,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        address: request.ip,
      },
      'request',
    );
  });
}

/** While the service drains, new requests are told to come back, each in the form of its route (H21). */
function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', async (_request, reply) => {
    if (!closing) return;
    reply.header('connection', 'close');
    throw new StorageUnavailable('the service is stopping');
  });
}
