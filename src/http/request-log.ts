// The log's line of each request.
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is, once that is known; for the log. */
    caller: Caller | undefined;
  }
}

/** A client that has proved itself or was named by a token of ours, and its tenant. */
export interface Caller {
  readonly tenant: { readonly id: string; readonly name: string };
  readonly clientId: string;
}

/** One line a request: the route's pattern, never the address as it was sent. */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('caller');
  app.addHook('onResponse', (request, reply, done) => {
    const { url = null, config } = request.routeOptions;
    const { upkeep, metadata } = config;
    // A monitor asks every few seconds, and apps ask for keys and addresses all day.
    const level = upkeep === true || metadata === true ? 'debug' : 'info';
    const tenant = tenantOf(request);
    request.log[level](
      {
        tenant: tenant?.name,
        tenantId: tenant?.id,
        clientId: request.caller?.clientId,
        method: request.method,
        route: url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        address: request.address,
      },
      'request',
    );
    done();
  });
}

/**
 * Lets the JSON answers of a part of the service carry the reference that the log knows their request by; pages show
 * it in words. A document that is the same for all has none.
 */
export function carryReference(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.metadata !== true) reply.header(referenceHeader, request.id);
    done();
  });
}

/** The header of the reference. */
export const referenceHeader = 'request-id';

/** The API's own host has no tenant; a token names it. */
const tenantOf = ({ tenant, caller }: FastifyRequest): Caller['tenant'] | undefined =>
  tenant ?? caller?.tenant;
