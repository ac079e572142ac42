// Closes connections whose clients do not read their answers.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { connectionsCheckingInterval, slowReader, unsentBytes } from '../../core/limits.ts';
import type { Connections } from './connections.ts';

/** What is let wait, and how long. */
export interface Patience {
  /** Who takes less than so many bytes in this time (ms) loses the connection. */
  readonly time: number;
  readonly bytes: number;
  /** ms from one look to the next. */
  readonly interval: number;
  /** Bytes of answers that may wait on all connections together. */
  readonly unsent: number;
}

const patience: Patience = { ...slowReader, interval: connectionsCheckingInterval, unsent: unsentBytes };

/** What waits on a connection, and how much it had taken (bytes) when it was last seen to take enough (ms). */
interface Waiting {
  readonly bytes: number;
  readonly at: number;
  readonly taken: number;
}

/**
 * Closes connections whose other side does not read what it asked for, or only a little now and then (H14). A
 * socket's own timeout begins anew with each byte that is taken. Where more waits than the service will hold, those
 * that have stood longest are closed before their time (F9).
 */
export function letGoOfSlowReaders(
  app: FastifyInstance,
  connections: Connections,
  { time, bytes, interval, unsent }: Patience = patience,
): void {
  const waiting = new Map<Socket, Waiting>();
  let total = 0;
  const less = (socket: Socket, size: number) => {
    const mark = waiting.get(socket);
    if (mark === undefined) return;
    waiting.set(socket, { ...mark, bytes: mark.bytes - size });
    total -= size;
  };
  const forget = (socket: Socket) => {
    total -= waiting.get(socket)?.bytes ?? 0;
    waiting.delete(socket);
  };
  const close = (socket: Socket) => {
    forget(socket);
    socket.destroy();
  };
  /** Who took enough, or has taken all that there is, is the last in the order again. @returns now */
  const look = () => {
    const now = performance.now();
    for (const [socket, mark] of [...waiting]) {
      const taken = takenOf(socket);
      if (socket.writableLength > 0 && taken - mark.taken < bytes) continue;
      waiting.delete(socket);
      waiting.set(socket, { ...mark, at: now, taken });
    }
    return now;
  };
  const closeSlow = () => {
    const now = look();
    for (const [socket, { at }] of waiting) if (now - at >= time) close(socket);
  };
  /** Half of the room, so that not every answer of a flood looks through all that wait. */
  const makeRoom = (answered: Socket) => {
    look();
    for (const socket of waiting.keys()) {
      if (total <= unsent / 2) return;
      if (socket !== answered) close(socket);
    }
  };
  app.addHook('onSend', ({ raw: { socket } }, { raw }, payload, done) => {
    if (connections.of(socket) !== undefined) {
      const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
      const mark = waiting.get(socket) ?? { bytes: 0, at: performance.now(), taken: takenOf(socket) };
      waiting.set(socket, { ...mark, bytes: mark.bytes + size });
      total += size;
      raw.once('close', () => less(socket, size));
      if (total > unsent) makeRoom(socket);
    }
    done();
  });
  connections.onAnswered(({ socket, answers }) => {
    if (answers === 0) forget(socket);
  });
  let looking: NodeJS.Timeout | undefined;
  app.server.once('listening', () => {
    looking = setInterval(closeSlow, interval).unref();
  });
  app.addHook('onClose', async () => {
    clearInterval(looking);
  });
}

const takenOf = (socket: Socket) => socket.bytesWritten - socket.writableLength;
