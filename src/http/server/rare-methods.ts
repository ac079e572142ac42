// Answers the methods that no page takes: by one route for all pages, which a start makes at once.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { everyMethod, refuseMethod, refuseOtherMethods, withHead } from '../answers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Answers every method that a page does not serve, as `refuseOtherMethods` does.
     *
     * @param keepOut what the scope asks of every request: its hooks do not see these
     */
    refuseOthers(
      scope: FastifyInstance,
      url: string,
      served: readonly HTTPMethods[],
      keepOut?: KeepOut,
    ): void;
  }
}

/** Answers those for whom there is nothing; others go on. */
type KeepOut = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/** A page that is there. */
interface Served {
  readonly methods: readonly HTTPMethods[];
  readonly keepOut: KeepOut | undefined;
}

/** What one page takes and another does not: each page refuses these by itself. */
const taken: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST'];

/** Takes the other methods of all pages of an app to one route. */
export function refuseRareMethods(app: FastifyInstance): void {
  const known = new Map<string, Served>();
  const patterns: (readonly [RegExp, Served])[] = [];
  app.route({
    method: everyMethod.filter((method) => !taken.includes(method)),
    url: '/*',
    // The body of a method that is not served is not even read.
    onRequest: async (request, reply) => {
      const path = `/${(request.params as { readonly '*': string })['*']}`;
      const served = known.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1];
      if (served !== undefined) {
        return served.keepOut?.(request, reply) ?? refuseMethod(reply, served.methods);
      }
      reply.callNotFound();
      return reply;
    },
    handler: async () => {},
  });
  app.decorate('refuseOthers', (scope, url, served, keepOut) => {
    const page = { methods: withHead(served), keepOut };
    if (url.includes(':')) patterns.push([new RegExp(`^${url.replaceAll(/:[^/]+/g, '[^/]+')}$`), page]);
    else known.set(url, page);
    refuseOtherMethods(scope, url, served, undefined, taken);
  });
}
