// Wires everything that answers HTTP.

import { randomInt } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import fastifyFormbody from '@fastify/formbody';
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import { refusal, ruleOf } from '../core/decision.ts';
import { bodyBytes } from '../core/limits.ts';
import { noticeLength } from '../core/members/limits.ts';
import { createServer } from '../system/http.ts';
import { findAddress, withoutSlash } from './address.ts';
import { tokenActor } from './admin/api-token.ts';
import { protocolErrorHandler, sendRefusal } from './answers.ts';
import { resourceMetadataEndpoints } from './api/resource-metadata.ts';
import { auditRefusals } from './audit.ts';
import type { Deps } from './deps.ts';
import { parseForm } from './form.ts';
import { securityHeaders } from './headers.ts';
import { accountPages } from './members/account/account.ts';
import { checkoutPages } from './members/checkout/checkout.ts';
import { paymentNotices } from './members/checkout/payment.ts';
import { devicePages } from './members/device/device.ts';
import { languageSwitcher } from './members/language.ts';
import { providerPages } from './members/providers/providers.ts';
import { recoverPages } from './members/recover.ts';
import { scopeConsentPage } from './members/scope-consent.ts';
import { secondFactorPage } from './members/second-factor.ts';
import { signInCodePage } from './members/sign-in-code.ts';
import { signInPage } from './members/sign-in-page.ts';
import { signUpPage } from './members/sign-up/sign-up.ts';
import { signUpProofPages } from './members/sign-up/sign-up-proof.ts';
import { authorizationEndpoint } from './oidc/authorize.ts';
import { deviceAuthorizationEndpoint } from './oidc/device-authorization.ts';
import { discoveryEndpoints } from './oidc/discovery.ts';
import { introspectionEndpoint } from './oidc/introspection.ts';
import { logoutEndpoint } from './oidc/logout.ts';
import { tokenUrl } from './oidc/paths.ts';
import { pushedRequestEndpoint } from './oidc/pushed-request.ts';
import { registrationEndpoints } from './oidc/registration/registration.ts';
import { revocationEndpoint } from './oidc/revocation.ts';
import { tokenEndpoint } from './oidc/token/token.ts';
import { userinfoEndpoint } from './oidc/userinfo.ts';
import { pages, servePageScripts } from './pages/pages.ts';
import { brandPictures } from './pages/pictures.ts';
import { pageErrorHandler, sendProblem } from './pages/problem.ts';
import { createLateParts, type LatePart } from './parts/late.ts';
import { carryReference, logRequests, referenceHeader } from './request-log.ts';
import { connectionsOf, drain, readAtPace } from './server/connections.ts';
import { answerBadAddress, answerMalformed, createHttpServer } from './server/http-server.ts';
import { refuseRareMethods } from './server/rare-methods.ts';
import { letGoOfSlowReaders } from './server/slow-readers.ts';
import { setupPage } from './setup/setup.ts';
import { beginAnew, findTenant, refuseUnknownHosts } from './tenant.ts';
import { countGrants, countRequests } from './upkeep/metrics.ts';
import { doctorEndpoint, domainsEndpoint, healthEndpoints } from './upkeep/probes.ts';

/** What is wired when it is asked for first, by its address. */
const late: readonly LatePart[] = [
  { url: '/api/v1', hasSchemas: true, load: async () => (await import('./parts/apis.ts')).apis },
  { url: '/admin', load: async () => (await import('./parts/operators.ts')).operators },
];

/** Everything that answers HTTP, wired by name. */
export function buildApp(deps: Deps, logger: FastifyServerOptions['logger']): FastifyInstance {
  const parts = createLateParts(
    late,
    (hasSchemas) => appOfPart(hasSchemas),
    deps,
    (error) => app.log.error({ err: error }, 'a part of the service cannot be made'),
  );
  const app = fastify({
    ...optionsOf(deps, false),
    ...(logger === undefined ? {} : { logger }),
    serverFactory: (handle) => createHttpServer(parts.before(handle)),
    clientErrorHandler: answerMalformed,
  });
  const connections = connectionsOf(app.server);
  readAtPace(app.server, connections);
  const watchReaders = letGoOfSlowReaders(app, connections);
  const refusals = auditRefusals(deps);
  prepare(app, deps, refusals);
  const watchDrain = drain(app, connections);
  app.addHook('onClose', parts.close);
  /** What holds for every request holds for those of each part. */
  const appOfPart = (hasSchemas: boolean) => {
    const part = fastify({
      ...optionsOf(deps, hasSchemas),
      loggerInstance: app.log,
      serverFactory: () => createServer(),
    });
    watchReaders(part);
    prepare(part, deps, refusals);
    watchDrain(part);
    return part;
  };
  wire(app, deps);
  return app;
}

/** The options of the app of every part. @param hasSchemas whether its routes have schemas: their compilers take long to load */
const optionsOf = ({ config: { trustedProxies } }: Deps, hasSchemas: boolean) =>
  ({
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newReference,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: bodyBytes,
    // What a schema does not allow is refused, not mended. A test checks that our schemas are schemas: at a start that
    // would take longer than compiling them.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        validateSchema: false,
      },
    },
    ...(hasSchemas ? {} : { schemaController: { compilersFactory: noCompilers } }),
    // What a page's GET does, its HEAD does not (`pages/head-request.ts`).
    exposeHeadRoutes: true,
    routerOptions: {
      // Queries are read by `queryOf`, strictly, and only where a route has one.
      querystringParser: () => ({}),
      // The sealed links of our mails are longer than a router expects.
      maxParamLength: noticeLength,
    },
    return503OnClosing: false,
    frameworkErrors: answerBadAddress,
  }) satisfies FastifyServerOptions;

const noCompiler = () => {
  throw new Error('a route has a schema, and its part says that it has none');
};
const noCompilers = { buildValidator: noCompiler, buildSerializer: noCompiler };

/** The hooks that every request meets, and the answer where there is nothing. */
function prepare(app: FastifyInstance, deps: Deps, refusals: (app: FastifyInstance) => void): void {
  // No address takes QUERY, so nothing is asked of its body before that is said.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  findAddress(app);
  logRequests(app);
  if (deps.metrics !== null) countRequests(app, deps.metrics);
  findTenant(app, deps);
  deps.rehearsal?.watch(app, deps);
  refusals(app);
  beginAnew(app, deps);
  securityHeaders(app);
  refuseUnknownHosts(app, deps);
  app.removeAllContentTypeParsers();
  app.register(fastifyFormbody, { bodyLimit: bodyBytes, parser: parseForm as never });
  app.register(fastifyCookie);
  pages(app);
  refuseRareMethods(app);
  app.setErrorHandler(pageErrorHandler);
  app.setNotFoundHandler((request, reply) => {
    if (request.url.startsWith('/api/')) {
      const refused = refusal('invalid_request', 'there is nothing at this address', 'address_unknown');
      request.because = { rule: ruleOf(refused), reason: refused.description };
      return sendRefusal(reply.header(referenceHeader, request.id), refused, 404);
    }
    const plain = ['GET', 'HEAD'].includes(request.method) ? withoutSlash(request) : null;
    return plain === null ? sendProblem(reply, 'notFound') : reply.redirect(plain, 303);
  });
}

/** The routes that are there from the start. */
function wire(app: FastifyInstance, deps: Deps): void {
  servePageScripts(app);
  app.register(async (upkeep) => {
    healthEndpoints(upkeep, deps);
    domainsEndpoint(upkeep, deps);
    doctorEndpoint(upkeep, deps);
  });
  app.register(async (protocol) => {
    protocol.setErrorHandler(protocolErrorHandler);
    carryReference(protocol);
    if (deps.metrics !== null) countGrants(protocol, tokenUrl, deps.metrics);
    const endpoints = [
      tokenEndpoint,
      deviceAuthorizationEndpoint,
      revocationEndpoint,
      registrationEndpoints,
      pushedRequestEndpoint,
      userinfoEndpoint,
      (scope: FastifyInstance, own: Deps) => introspectionEndpoint(scope, own, tokenActor),
      paymentNotices,
    ];
    for (const endpoint of endpoints) {
      protocol.register(async (scope) => endpoint(scope, deps));
    }
    discoveryEndpoints(protocol);
    resourceMetadataEndpoints(protocol);
  });
  app.register(async (site) => {
    site.setErrorHandler(pageErrorHandler);
    authorizationEndpoint(site, deps);
    logoutEndpoint(site, deps);
    signInPage(site, deps);
    signInCodePage(site, deps);
    secondFactorPage(site, deps);
    providerPages(site, deps);
    signUpPage(site, deps);
    signUpProofPages(site, deps);
    recoverPages(site, deps);
    languageSwitcher(site, deps);
    scopeConsentPage(site, deps);
    accountPages(site, deps);
    checkoutPages(site, deps);
    deps.rehearsal?.serve(site, deps);
    brandPictures(site);
    site.register(async (scope) => devicePages(scope, deps));
    site.register(async (scope) => setupPage(scope, deps));
  });
}

/** A short reference for one request, that a person can read out: it stands in the log and on error pages. */
function newReference(): string {
  return randomInt(36 ** 8)
    .toString(36)
    .padStart(8, '0');
}
