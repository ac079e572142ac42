// Tells clients of the member API whom to ask for its tokens (RFC 9728).
import type { FastifyInstance } from 'fastify';
import { knownScopes } from '../../core/oidc/scope.ts';
import type { Tenant } from '../../core/tenant.ts';
import { memberApiAddress } from '../../operations/client/audiences.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { servePublicDocument } from '../cors.ts';

const wellKnown = '/.well-known/oauth-protected-resource';
/** Where it is for a resource with a path: that stands behind the well-known part (RFC 9728 §3.1). */
const ofMemberApi = `${wellKnown}/api/v1`;

/** The metadata of the member API as a protected resource (RFC 9728 §2; interop 64). */
const metadataOf = (tenant: OpenTenant): object => ({
  resource: memberApiAddress(tenant),
  authorization_servers: [tenant.issuer],
  scopes_supported: knownScopes,
  bearer_methods_supported: ['header'],
});

/** GET /.well-known/oauth-protected-resource, and below it the address of the member API. */
export function resourceMetadataEndpoints(app: FastifyInstance): void {
  for (const url of [wellKnown, ofMemberApi]) {
    servePublicDocument(app, url, { metadata: true }, ({ tenant }) => tenant, metadataOf);
  }
}

/**
 * Names that document in each 401 of a scope (RFC 9728 §5.1). On the API's own host no tenant is known before a token is,
 * and no document is there.
 */
export function tellResourceMetadata(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const challenge = reply.getHeader('www-authenticate');
    const tenant = request.tenant as Pick<Tenant, 'issuer'> | undefined;
    if (reply.statusCode === 401 && typeof challenge === 'string' && tenant !== undefined) {
      const named = `realm="memberdoor", resource_metadata="${tenant.issuer}${ofMemberApi}"`;
      reply.header('www-authenticate', challenge.replace('realm="memberdoor"', named));
    }
    done();
  });
}
