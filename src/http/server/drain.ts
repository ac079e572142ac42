// Turns new requests away while the service stops.
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { drainGrace, idleSweepInterval } from '../../core/operators/limits.ts';
import { StorageUnavailable } from '../../storage/store.ts';
import type { Connections } from './connections.ts';

/**
 * While the service drains, new requests are told to come back, each in the form of its route (H21), and those
 * under way are waited for (Z15).
 */
export function drain(app: FastifyInstance, connections: Connections): void {
  let closing = false;
  let ended = () => {};
  let silent: readonly Socket[] = [];
  const isSilent = ({ bytesRead }: Socket) => bytesRead === 0;
  const sweep = () => {
    // What becomes idle from now on would be kept for the client's next request, and us with it.
    app.server.closeIdleConnections();
    // Browsers open connections ahead: to the server one without a byte is a request that is slow to come.
    for (const socket of silent.filter(isSilent)) socket.destroy();
    silent = [...connections].map(({ socket }) => socket).filter(isSilent);
  };
  app.addHook('preClose', async () => {
    closing = true;
    // Under load some connections are not even accepted yet: they are answered rather than reset.
    if (connections.answers > 0) await wait(drainGrace);
    if (!app.server.listening) return;
    const sweeping = setInterval(sweep, idleSweepInterval);
    app.server.once('close', () => clearInterval(sweeping));
  });
  connections.onAnswered(() => {
    if (connections.answers === 0) ended();
  });
  app.addHook('onClose', async () => {
    if (connections.answers > 0) await new Promise<void>((resolve) => (ended = resolve));
  });
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // Whatever else was sent ahead on this connection would go unanswered with it.
    if (closing && connections.of(raw.socket)?.answers === 1) reply.header('connection', 'close');
    done();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const isServed = !closing || request.routeOptions.config.upkeep === true;
    done(isServed ? undefined : new StorageUnavailable('the service is stopping'));
  });
}
