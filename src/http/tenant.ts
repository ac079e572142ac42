// Finds the tenant of a request by its host.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenTenant } from '../operations/tenant/open-tenants.ts';
import type { Deps } from './deps.ts';
import { headerLines } from './headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of the Host header. Only on the API's own host there is none; its routes do not ask. */
    tenant: OpenTenant;
  }
  interface FastifyContextConfig {
    /** Served on the API's own host too (decision 2). */
    memberApi?: boolean;
    /** Served on any host while the service is being set up. */
    setup?: boolean;
    /** For the operator of the service: served on any host, also while it drains, and not worth a line of the log. */
    upkeep?: boolean;
    /** A public document that no request changes: counted, and not worth a line of the log. */
    metadata?: boolean;
  }
}

const hostOf = ({ headers }: FastifyRequest) => (headers.host ?? '').toLowerCase();
const withoutDefaultPort = (host: string) => host.replace(/:(?:80|443)$/, '');

/**
 * Finds the tenant by the raw Host header, before anything else is looked at (decision 1). No forwarded
 * header can choose it, not even a trusted proxy's (X8).
 */
export function findTenant(app: FastifyInstance, { tenants }: Deps): void {
  app.decorateRequest('tenant');
  app.addHook('onRequest', (request, _reply, done) => {
    const host = hostOf(request);
    const tenant = tenants.byHost(host) ?? tenants.byHost(withoutDefaultPort(host));
    if (tenant !== null) request.tenant = tenant;
    done();
  });
}

/** An unknown host learns nothing (X7). */
export function refuseUnknownHosts(app: FastifyInstance, { config: { apiHost }, setupOffered }: Deps): void {
  const isServedWithoutTenant = (request: FastifyRequest): boolean => {
    const { memberApi, upkeep, setup } = request.routeOptions.config;
    const host = hostOf(request);
    const isOfApi = memberApi === true && (host === apiHost || withoutDefaultPort(host) === apiHost);
    return isOfApi || upkeep === true || (setupOffered && setup === true);
  };
  app.addHook('onRequest', (request, reply, done) => {
    // Of two Host headers Node keeps the first; a proxy may have looked at the other (RFC 9112 §3.2).
    if (headerLines(request, 'host') > 1) return sendBadRequest(reply);
    // Only HTTP/1.0 may name none (RFC 9112 §3.2).
    const isMissing = request.headers.host === undefined && request.raw.httpVersion !== '1.0';
    if (isMissing) return sendBadRequest(reply.header('connection', 'close'));
    if (request.tenant === undefined && !isServedWithoutTenant(request)) {
      sendUnknownHost(reply);
      return;
    }
    // A request to a proxy names an authority of its own; it and Host must not be read as one address (K2).
    if (request.raw.url?.startsWith('/') !== true) return sendBadRequest(reply);
    done();
  });
}

function sendBadRequest(reply: FastifyReply): void {
  reply.status(400).type('text/plain; charset=utf-8').send('Bad request\n');
}

/** What a host that is none of ours gets. */
export function sendUnknownHost(reply: FastifyReply): FastifyReply {
  return reply.status(404).type('text/plain; charset=utf-8').send('Not found\n');
}
