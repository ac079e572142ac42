import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** What was done for this request beside its transactions, by name. */
    doneOnce: Map<string, unknown> | undefined;
  }
}

export function rememberDoneOnce(app: FastifyInstance): void {
  app.decorateRequest('doneOnce');
}

/**
 * Does for a request, once, what its transaction cannot take back, such as counting in memory: work whose commit
 * failed runs a second time (`GroupCommit`), and must find what it found, and count nobody twice.
 *
 * @param name tells it from whatever else is done once for a request
 * @returns what it gave the first time
 */
export function once<T>(request: Pick<FastifyRequest, 'doneOnce'>, name: string, act: () => T): T {
  request.doneOnce ??= new Map();
  const known = request.doneOnce;
  if (!known.has(name)) known.set(name, act());
  return known.get(name) as T;
}
