// Decides which origins may read an answer from a script, and serves the documents that all of them may.
import { createHash } from 'node:crypto';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
} from 'fastify';
import { metadataCacheSeconds } from '../core/limits.ts';
import { allowsOrigin } from '../core/oidc/client/web-origin.ts';
import { referenceHeader } from './request-log.ts';

/** Which origins may read a route from a script: all of them, or those that clients have registered. */
export type AllowOrigin = (request: FastifyRequest, origin: string) => boolean;

/** Whether scripts may send DPoP proofs to a route, and read the nonces that it answers (RFC 9449 §8). */
export type TakesDpop = (request: FastifyRequest) => boolean;

/** Whether a client of the tenant may have tokens that are bound to a key. */
export const tenantDpop: TakesDpop = ({ tenant }) => tenant.dpop;

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
  takesDpop: TakesDpop = () => false,
): void {
  app.options(url, { config }, async (request, reply) => {
    if (allowOrigin(request, reply, allow, takesDpop)) {
      reply.headers({
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': `authorization, content-type${takesDpop(request) ? ', dpop' : ''}`,
        'access-control-max-age': '600',
      });
    }
    return reply.header('cache-control', 'no-store').status(204).send();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url === url && request.method !== 'OPTIONS') {
      allowOrigin(request, reply, allow, takesDpop);
    }
    done();
  });
}

function allowOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  allow: AllowOrigin,
  takesDpop: TakesDpop,
): boolean {
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin === undefined || !allow(request, origin)) return false;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': `${referenceHeader}, retry-after, www-authenticate${takesDpop(request) ? ', dpop-nonce' : ''}`,
  });
  return true;
}

const anyOrigin = { 'access-control-allow-origin': '*' } as const;

/** A document as it is served. As text it leaves in one piece with its headers; as bytes it would be a piece of its own. */
function publicDocument(content: object) {
  const body = JSON.stringify(content);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return {
    body,
    headers: { ...anyOrigin, etag, 'cache-control': `public, max-age=${metadataCacheSeconds}` },
  };
}

/**
 * Serves a document of JSON that any client may read, from a script of any origin too, and keep.
 *
 * @param subjectOf what the document is about: it is made once for each, when it is asked for first
 */
export function servePublicDocument<Subject extends object>(
  app: FastifyInstance,
  url: string,
  config: FastifyContextConfig,
  subjectOf: (request: FastifyRequest) => Subject,
  write: (subject: Subject) => object,
): void {
  const documents = new WeakMap<Subject, ReturnType<typeof publicDocument>>();
  app.options(url, async (_request, reply) => {
    reply.headers({ ...anyOrigin, 'access-control-allow-methods': 'GET', 'access-control-max-age': '600' });
    return reply.status(204).send();
  });
  const handler = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const subject = subjectOf(request);
    let document = documents.get(subject);
    if (document === undefined) {
      document = publicDocument(write(subject));
      documents.set(subject, document);
    }
    const { body, headers } = document;
    reply.headers(headers);
    if (request.headers['if-none-match']?.includes(headers.etag)) return reply.status(304).send();
    return reply.type('application/json; charset=utf-8').send(body);
  };
  app.route({ method: ['GET', 'HEAD'], url, config, handler });
}
