// Serves documents that are the same for all who ask, to any origin.
import { createHash } from 'node:crypto';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { metadataCacheSeconds } from '../core/limits.ts';

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
  const documents = new WeakMap<Subject, { readonly body: string; readonly etag: string }>();
  app.options(url, async (_request, reply) => {
    allowAnyOrigin(reply);
    reply.headers({ 'access-control-allow-methods': 'GET', 'access-control-max-age': '600' });
    return reply.status(204).send();
  });
  const handler = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const subject = subjectOf(request);
    let document = documents.get(subject);
    if (document === undefined) {
      // As text it leaves in one piece with the headers; as bytes it would be a piece of its own.
      const body = JSON.stringify(write(subject));
      document = { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
      documents.set(subject, document);
    }
    const { body, etag } = document;
    allowAnyOrigin(reply);
    reply.headers({ etag, 'cache-control': `public, max-age=${metadataCacheSeconds}` });
    if (request.headers['if-none-match']?.includes(etag)) return reply.status(304).send();
    return reply.type('application/json; charset=utf-8').send(body);
  };
  app.route({ method: ['GET', 'HEAD'], url, config, handler });
}

function allowAnyOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
}
