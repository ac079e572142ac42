// The connections of the server: how fast each is read, how long it may leave its answers, and how they end.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { answersInHand, connectionsCheckingInterval, slowReader, unsentBytes } from '../../core/limits.ts';
import { drainGrace, idleSweepInterval } from '../../core/operators/limits.ts';
import { StorageUnavailable } from '../../storage/store.ts';

/** A connection, with what it waits for. */
interface Connection {
  readonly socket: Socket;
  /** Requests that have come, and whose answers have not been handed over whole. */
  answers: number;
}

type Connections = ReturnType<typeof connectionsOf>;

/** The connections that a server has, as they come and go. */
export function connectionsOf(server: Server) {
  const connections = new Map<Socket, Connection>();
  const listeners: ((connection: Readonly<Connection>) => void)[] = [];
  let answers = 0;
  const lessBy = (count: number, connection: Connection) => {
    answers -= count;
    connection.answers -= count;
    for (const listener of listeners) listener(connection);
  };
  server.on('connection', (socket) => {
    const connection = { socket, answers: 0 };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      lessBy(connection.answers, connection);
    });
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    answers += 1;
    connection.answers += 1;
    response.once('close', () => {
      // What a connection that is gone waited for is no longer counted.
      if (connections.has(socket)) lessBy(1, connection);
    });
  });
  return {
    /** Undefined once it is closed. */
    of: (socket: Socket): Readonly<Connection> | undefined => connections.get(socket),
    /** Answers in hand on all of them. */
    get answers() {
      return answers;
    },
    /** Calls back whenever an answer has left, and whenever a connection is gone with all that it waited for. */
    onAnswered: (listener: (connection: Readonly<Connection>) => void) => listeners.push(listener),
    [Symbol.iterator]: () => connections.values(),
  };
}

/** Every head of a request ends with it. */
const blankLine = Buffer.from('\r\n\r\n');

/**
 * Reads each connection request by request, and not at all while it has `answersInHand` answers in hand: what else it
 * sent ahead stays with the system, and then with the sender.
 *
 * Node too stops reading where answers pile up, but it parses what it has read to the end: 64 KB, a thousand requests,
 * whose objects outlive the young generation and fill the heap. So the parser's listener is called with pieces by a
 * listener of ours in its place: no piece holds the heads of two requests whole.
 */
export function readAtPace(server: Server, connections: Connections): void {
  const held = new WeakSet<Socket>();
  connections.onAnswered(({ socket, answers }) => {
    // In a turn of its own: at once, all that was read would be answered in this one, and others would wait for it.
    if (answers < answersInHand && held.delete(socket)) setImmediate(() => readOn(socket));
  });
  server.on('connection', (socket) => {
    const connection = connections.of(socket);
    const [parse, another] = socket.listeners('data') as ((piece: Buffer) => void)[];
    if (connection === undefined || parse === undefined || another !== undefined) {
      throw new Error('a connection is not read in the way that this Node is known for');
    }
    const read = (chunk: Buffer) => {
      let at = 0;
      // The parser pauses the socket as well, for reasons of its own; what follows a last answer is not read.
      while (at < chunk.length && !socket.isPaused() && !socket.writableEnded && !socket.destroyed) {
        if (connection.answers >= answersInHand) {
          held.add(socket);
          socket.pause();
        } else {
          const end = endOfPiece(chunk, at);
          // Most requests come alone.
          parse.call(socket, at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
          at = end;
        }
      }
      if (at < chunk.length && socket.isPaused()) socket.unshift(chunk.subarray(at));
    };
    socket.removeListener('data', parse);
    socket.on('data', read);
  });
}

/** Where a piece ends: behind its first head, unless no other head ends in what is left. */
function endOfPiece(chunk: Buffer, from: number): number {
  const head = chunk.indexOf(blankLine, from);
  const isLast = head < 0 || chunk.indexOf(blankLine, head + blankLine.length) < 0;
  return isLast ? chunk.length : head + blankLine.length;
}

/** Answers that wait for the other side to take them are no longer in hand, but nothing more is read beside them. */
function readOn(socket: Socket): void {
  if (socket.writableNeedDrain) socket.once('drain', () => socket.resume());
  else socket.resume();
}

/**
 * A client that takes less than so many bytes in this time (ms) loses the connection; a look is taken at each interval (ms), and so
 * many bytes of answers may wait on all connections together.
 */
const patience = { ...slowReader, interval: connectionsCheckingInterval, unsent: unsentBytes };

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
 *
 * @returns what looks after the answers of another app of the same server
 */
export function letGoOfSlowReaders(
  app: FastifyInstance,
  connections: Connections,
  { time, bytes, interval, unsent }: Readonly<Record<keyof typeof patience, number>> = patience,
): (app: FastifyInstance) => void {
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
  /** A connection that took enough, or has taken all that there is, moves to the end of the order. @returns now */
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
  const watch = (answering: FastifyInstance) =>
    answering.addHook('onSend', ({ raw: { socket } }, { raw }, payload, done) => {
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
  watch(app);
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
  return watch;
}

const takenOf = (socket: Socket) => socket.bytesWritten - socket.writableLength;

/**
 * While the service drains, new requests are told to come back, each in the form of its route (H21), and those
 * under way are waited for (Z15).
 *
 * @returns what does the same for the requests of another app of the same server
 */
export function drain(app: FastifyInstance, connections: Connections): (app: FastifyInstance) => void {
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
  const tell = (answering: FastifyInstance) => {
    answering.addHook('onSend', ({ raw }, reply, _payload, done) => {
      // Whatever else was sent ahead on this connection would go unanswered with it.
      if (closing && connections.of(raw.socket)?.answers === 1) reply.header('connection', 'close');
      done();
    });
    answering.addHook('onRequest', (request, _reply, done) => {
      const isServed = !closing || request.routeOptions.config.upkeep === true;
      done(isServed ? undefined : new StorageUnavailable('the service is stopping'));
    });
  };
  tell(app);
  return tell;
}
