// Tells a proxy which domains are ours, before it asks for their certificates.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noStore } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { pageQuery } from '../form.ts';
import { sendUnknownHost } from '../tenant.ts';

/** Headers that proxies add: a request through one does not come from this machine. */
const addedByProxies = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

/**
 * `/internal/domains?domain=…`: whether a domain is one of ours, 200 or 404. A proxy that gets certificates
 * on demand asks this before it does (Caddy's `ask`). It answers only programs on this machine that call it by
 * its address; all others get 404.
 */
export function domainsEndpoint(app: FastifyInstance, { tenants, config, setupOffered }: Deps): void {
  // Where the set-up link leads before there is a tenant.
  const first = setupOffered && config.issuer !== null ? new URL(config.issuer).host : null;
  const isOurs = (domain: string) =>
    domain === config.apiHost || domain === first || tenants.byHost(domain) !== null;
  app.get('/internal/domains', { config: { upkeep: true } }, async (request, reply) => {
    if (!isNeighbour(request)) return sendNothingHere(request, reply);
    const { domain = '' } = pageQuery(request, ['domain']);
    if (!isOurs(domain.toLowerCase())) return sendUnknownHost(reply);
    return noStore(reply).type('text/plain; charset=utf-8').send('ours\n');
  });
}

/** What an address gets that is not there, on a known host and on others. */
export function sendNothingHere(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  if (request.tenant === undefined) return sendUnknownHost(reply);
  reply.callNotFound();
  return reply;
}

/** A process of this machine that asks us directly: over loopback, by no tenant's host, through no proxy. */
function isNeighbour({ raw, headers, tenant }: FastifyRequest): boolean {
  const peer = raw.socket.remoteAddress ?? '';
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(peer);
  return isLoopback && tenant === undefined && addedByProxies.every((name) => headers[name] === undefined);
}
