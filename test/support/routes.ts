import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

/** A route of the service, as it was registered. */
export interface Route {
  readonly method: string;
  /** With parameters as Fastify writes them: `/a/:id`. */
  readonly url: string;
}

/** Every route of the app that this starts, as Fastify itself was told of it. */
export async function routesOf<Started>(
  start: () => Promise<Started>,
): Promise<{ readonly started: Started; readonly routes: readonly Route[] }> {
  const routes: Route[] = [];
  const listen = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push({ method: one, url });
    });
  };
  subscribe('fastify.initialization', listen);
  try {
    return { started: await start(), routes };
  } finally {
    unsubscribe('fastify.initialization', listen);
  }
}
