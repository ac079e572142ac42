// Answers whether the process lives and whether it can do its work.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { retryAfterSeconds } from '../../core/limits.ts';
import { readinessLife, readinessTime } from '../../core/operators/limits.ts';
import { touchService } from '../../storage/service.ts';
import type { Store } from '../../storage/store.ts';
import { noStore } from '../answers.ts';
import type { Deps } from '../deps.ts';

/** Why the service is not ready: it stops, or its database cannot be written now. */
type Unready = 'draining' | 'storage';

/**
 * `/livez`: the process answers. `/readyz`: it can do its work. Both on every host, since they name nothing.
 * The port opens after the migrations, so a service that answers at all has the newest schema (H21).
 */
export function healthEndpoints(app: FastifyInstance, { store }: Pick<Deps, 'store'>): void {
  const config = { upkeep: true };
  const method = ['GET', 'HEAD'];
  const storageProblem = createStorageCheck(store);
  let isDraining = false;
  app.addHook('preClose', async () => {
    isDraining = true;
  });
  app.route({ method, url: '/livez', config, handler: async (_request, reply) => sendWord(reply, 'live') });
  app.route({
    method,
    url: '/readyz',
    config,
    handler: async (_request, reply) => {
      const problem = isDraining ? 'draining' : await storageProblem();
      if (problem === null) return sendWord(reply, 'ready');
      return sendWord(reply.status(503).header('retry-after', retryAfterSeconds), problem);
    },
  });
}

function sendWord(reply: FastifyReply, word: Unready | 'live' | 'ready'): FastifyReply {
  return noStore(reply).type('text/plain; charset=utf-8').send(`${word}\n`);
}

/** Whether the database takes a write. Any client may ask, so it is tried at most once a second. */
function createStorageCheck(store: Store): () => Promise<Unready | null> {
  let triedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<Unready | null> = Promise.resolve(null);
  return () => {
    const now = performance.now();
    if (now - triedAt >= readinessLife) {
      triedAt = now;
      last = tryStorage(store);
    }
    return last;
  };
}

function tryStorage(store: Store): Promise<Unready | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('storage'), readinessTime);
    store
      .transaction(touchService)
      .then(
        () => resolve(null),
        () => resolve('storage'),
      )
      .finally(() => clearTimeout(timer));
  });
}
