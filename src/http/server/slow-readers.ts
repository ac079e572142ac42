// Closes connections that do not take their answers.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { connectionsCheckingInterval, slowReader, unsentBytes } from '../../core/limits.ts';
import { type Schedule, systemSchedule } from '../../system/clock.ts';
import type { Connections } from './connections.ts';

/**
 * A client that takes less than so many bytes in this time (ms) loses the connection; a look is taken at each interval
 * (ms), and so many bytes of answers may wait on all connections together.
 */
const patience = { ...slowReader, interval: connectionsCheckingInterval, unsent: unsentBytes };

type Patience = Readonly<Record<keyof typeof patience, number>>;

/** What tells the time, in ms that only go forward, and says when it is time to look. */
interface Timing {
  readonly now: () => number;
  readonly schedule: Schedule;
}

const systemTiming: Timing = { now: () => performance.now(), schedule: systemSchedule };

/**
 * Closes connections whose other side does not read what it asked for, or only a little now and then (H14). A
 * socket's own timeout begins anew with each byte that is taken. Where more waits than the service will hold, those
 * that have stood longest are closed before their time (F9).
 *
 * @returns what looks after the answers of another app of the same server
 */
export function letGoOfSlowReaders(
  app: FastifyInstance,
  connections: Connections,
  limits: Patience = patience,
  { now, schedule }: Timing = systemTiming,
): (app: FastifyInstance) => void {
  const waiting = createWaiting(limits, now);
  const watch = (answering: FastifyInstance) =>
    answering.addHook('onSend', ({ raw: { socket } }, { raw }, payload, done) => {
      if (connections.of(socket) !== undefined) {
        const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
        waiting.add(socket, size);
        raw.once('close', () => waiting.take(socket, size));
        waiting.makeRoom(socket);
      }
      done();
    });
  watch(app);
  connections.onAnswered(({ socket, answers }) => {
    if (answers === 0) waiting.forget(socket);
  });
  let callOff = () => {};
  const lookLater = () => {
    callOff = schedule(() => {
      waiting.closeSlow();
      lookLater();
    }, limits.interval);
  };
  app.server.once('listening', lookLater);
  app.addHook('onClose', async () => callOff());
  return watch;
}

/** What waits on a connection, and how much it had taken (bytes) when it was last seen to take enough (ms). */
interface Mark {
  readonly bytes: number;
  readonly at: number;
  readonly taken: number;
}

/** The connections with answers to take: the one that has stood longest is the first. */
function createWaiting({ time, bytes, unsent }: Patience, now: Timing['now']) {
  const marks = new Map<Socket, Mark>();
  let total = 0;
  const forget = (socket: Socket) => {
    total -= marks.get(socket)?.bytes ?? 0;
    marks.delete(socket);
  };
  const close = (socket: Socket) => {
    forget(socket);
    socket.destroy();
  };
  /** A connection that took enough, or has taken all that there is, moves to the end of the order. @returns when it looked */
  const look = () => {
    const at = now();
    for (const [socket, mark] of [...marks]) {
      const taken = takenOf(socket);
      if (socket.writableLength > 0 && taken - mark.taken < bytes) continue;
      marks.delete(socket);
      marks.set(socket, { ...mark, at, taken });
    }
    return at;
  };
  return {
    forget,
    /** An answer of so many bytes waits on a connection. */
    add(socket: Socket, size: number) {
      const mark = marks.get(socket) ?? { bytes: 0, at: now(), taken: takenOf(socket) };
      marks.set(socket, { ...mark, bytes: mark.bytes + size });
      total += size;
    },
    /** Such an answer has left. */
    take(socket: Socket, size: number) {
      const mark = marks.get(socket);
      if (mark === undefined) return;
      marks.set(socket, { ...mark, bytes: mark.bytes - size });
      total -= size;
    },
    /** Closes connections that have stood too long. */
    closeSlow() {
      const lookedAt = look();
      for (const [socket, { at }] of marks) if (lookedAt - at >= time) close(socket);
    },
    /**
     * Where too much waits, closes those that have stood longest, but for the one that is answered now. It makes half of
     * the room, so that not every answer of a flood looks through all that wait.
     */
    makeRoom(answered: Socket) {
      if (total <= unsent) return;
      look();
      for (const socket of marks.keys()) {
        if (total <= unsent / 2) return;
        if (socket !== answered) close(socket);
      }
    },
  };
}

const takenOf = (socket: Socket) => socket.bytesWritten - socket.writableLength;
