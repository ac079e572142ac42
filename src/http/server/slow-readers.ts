import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { connectionsCheckingInterval, slowReader } from '../../core/limits.ts';

/** How much of its answers a connection had taken at a time (ms) at which more was waiting. */
interface Mark {
  readonly at: number;
  readonly taken: number;
}

/**
 * Closes connections whose other side does not read what it asked for, or only a little now and then (H14). A
 * socket's own timeout begins anew with each byte that is taken.
 *
 * @param limit how little may be taken (bytes) in which time (ms)
 * @param interval ms from one look to the next
 */
export function letGoOfSlowReaders(
  app: FastifyInstance,
  connections: ReadonlySet<Socket>,
  limit: { readonly time: number; readonly bytes: number } = slowReader,
  interval = connectionsCheckingInterval,
): void {
  const marks = new WeakMap<Socket, Mark>();
  const look = () => {
    const now = performance.now();
    for (const socket of connections) {
      if (socket.writableLength === 0) {
        marks.delete(socket);
        continue;
      }
      const taken = socket.bytesWritten - socket.writableLength;
      const mark = marks.get(socket);
      if (mark === undefined || taken - mark.taken >= limit.bytes) marks.set(socket, { at: now, taken });
      else if (now - mark.at >= limit.time) socket.destroy();
    }
  };
  let looking: NodeJS.Timeout | undefined;
  app.server.once('listening', () => {
    looking = setInterval(look, interval).unref();
  });
  app.addHook('onClose', async () => {
    clearInterval(looking);
  });
}
