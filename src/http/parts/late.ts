// Parts of the service whose routes are made when the first request comes for one of them.
import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';

/** A part that stands below an address of its own. */
export interface LatePart {
  /** Its address, and the beginning of all others of it. */
  readonly url: string;
  /** Whether its routes have schemas. */
  readonly hasSchemas?: boolean;
  /** What adds its routes to an app: loaded with them. */
  readonly load: () => Promise<(app: FastifyInstance, deps: Deps) => void>;
}

/**
 * The parts of the service that most starts are not asked for at once, or never: their routes take longer to make than
 * all others, and much memory. Each is an app of its own, behind the same server.
 *
 * @param open makes an app like that of the other routes, without any
 */
export function createLateParts(
  parts: readonly LatePart[],
  open: (hasSchemas: boolean) => FastifyInstance,
  deps: Deps,
  failed: (error: unknown) => void,
) {
  const begun: FastifyInstance[] = [];
  const built = parts.map(({ url, load, hasSchemas = false }) => {
    let serving: RequestListener | null = null;
    let building: Promise<void> | null = null;
    const build = async () => {
      const app = open(hasSchemas);
      begun.push(app);
      const addRoutes = await load();
      await app.register(async (scope) => addRoutes(scope, deps)).ready();
      serving = (request, response) => app.routing(request, response);
    };
    const serve: RequestListener = (request, response) => {
      if (serving !== null) return serving(request, response);
      building ??= build().finally(() => {
        building = null;
      });
      building.then(
        () => serving?.(request, response),
        (error: unknown) => {
          failed(error);
          response.destroy();
        },
      );
    };
    return { isMeant: isBelow(url), serve };
  });
  return {
    /** Hands a request to the part that it is meant for, or else to the other routes. */
    before:
      (others: RequestListener): RequestListener =>
      (request, response) => {
        const { url = '' } = request;
        for (const { isMeant, serve } of built) if (isMeant(url)) return serve(request, response);
        return others(request, response);
      },
    close: async () => {
      for (const app of begun) await app.close();
    },
  };
}

/** Whether the address of a request, as it was sent, is one of a part. */
function isBelow(url: string): (sent: string) => boolean {
  const ends = new Set([undefined, '/', '?']);
  return (sent) => sent.startsWith(url) && ends.has(sent[url.length]);
}
