// Finds the tenant of a request by its host, and begins a request anew that finds out that it is another now.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenTenant } from '../operations/tenant/open-tenants.ts';
import { connectionOf } from '../storage/prepared.ts';
import type { Store, Tx } from '../storage/store.ts';
import type { Deps } from './deps.ts';
import { headerLines } from './headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of the Host header. Only on the API's own host there is none; its routes do not ask. */
    tenant: OpenTenant;
    /** Of the tenants that this request looks at, until the first transaction that it commits; null from then on. */
    tenantsVersion: number | null;
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
  app.decorateRequest('tenantsVersion', null);
  app.addHook('onRequest', (request, _reply, done) => {
    lookAgain(request, tenants);
    done();
  });
}

/** @returns whether the request is for a tenant */
function lookAgain(request: FastifyRequest, tenants: Deps['tenants']): boolean {
  const host = hostOf(request);
  const tenant = tenants.byHost(host) ?? tenants.byHost(withoutDefaultPort(host));
  request.tenantsVersion = tenants.version();
  if (tenant !== null) request.tenant = tenant;
  return tenant !== null;
}

/** A request looked at tenants that another process has changed since; nothing was done. */
class Outdated extends Error {
  override readonly name = 'Outdated';
}

/**
 * Runs a transaction of a request. The first that sees what another process changed about tenants, their keys and clients
 * puts it in place, and the request begins anew, as if it had come after (decision 51). What follows a transaction that
 * was committed belongs to it, and goes on.
 *
 * @param run runs work in a transaction
 * @throws Outdated, which `beginAnew` catches; nothing was done
 */
export async function obeyingChanges<T>(
  request: FastifyRequest,
  tenants: Deps['tenants'],
  run: Store['transaction'],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const result = await run(async (tx) => {
    const { tenantsVersion } = request;
    if (tenantsVersion !== null && tenantsVersion !== connectionOf(tx).version) {
      await tenants.follow(tx);
      throw new Outdated();
    }
    return work(tx);
  });
  request.tenantsVersion = null;
  return result;
}

/** A handler of a route, or what it asks before the body is read. */
type Step = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Begins requests anew that are outdated. Where no other process has the database open, none ever is. */
export function beginAnew(app: FastifyInstance, { store, tenants }: Pick<Deps, 'store' | 'tenants'>): void {
  if (!store.isShared) return;
  const again = (step: Step, isAsking = false) =>
    async function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      for (;;) {
        const { tenantsVersion } = request;
        try {
          const answer = await step.call(this, request, reply);
          // Nothing is done yet: the handler asks again, after a body that may have taken its time.
          if (isAsking) request.tenantsVersion = tenantsVersion;
          return answer;
        } catch (error) {
          if (!(error instanceof Outdated)) throw error;
          if (!lookAgain(request, tenants) && request.tenant !== undefined) return sendUnknownHost(reply);
        }
      }
    };
  app.addHook('onRoute', (route) => {
    route.handler = again(route.handler as Step);
    const asked = [route.onRequest ?? []].flat();
    if (asked.length > 0) route.onRequest = asked.map((step) => again(step as Step, true));
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

/** The answer on a host that is not ours. */
export function sendUnknownHost(reply: FastifyReply): FastifyReply {
  return reply.status(404).type('text/plain; charset=utf-8').send('Not found\n');
}
