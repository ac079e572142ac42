import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { startTestService, type TestService, type TestServiceOptions } from './service.ts';
import { useStarted } from './use-service.ts';

/** A route of the service, as it was registered. */
export interface Route {
  readonly method: string;
  /** With parameters as Fastify writes them: `/a/:id`. */
  readonly url: string;
}

/** A service as `useService` gives it, and every route of its app, as Fastify itself was told of it. */
export function useRoutes(options: TestServiceOptions): {
  readonly service: TestService;
  readonly routes: readonly Route[];
} {
  const routes: Route[] = [];
  const listen = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push({ method: one, url });
    });
  };
  const service = useStarted(async () => {
    subscribe('fastify.initialization', listen);
    try {
      const started = await startTestService(options);
      // Parts that are made when they are asked for.
      for (const part of ['/api/v1', '/admin']) await started.http('localhost', part);
      return started;
    } finally {
      unsubscribe('fastify.initialization', listen);
    }
  });
  return { service, routes };
}
