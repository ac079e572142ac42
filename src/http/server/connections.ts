// The connections of the server: how fast each is read, and how they end.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { answersInHand } from '../../core/limits.ts';
import { drainGrace, idleSweepInterval } from '../../core/operators/limits.ts';
import { StorageUnavailable } from '../../storage/store.ts';

/** A connection, with what it waits for. */
interface Connection {
  readonly socket: Socket;
  /** Requests that have come, and whose answers have not been handed over whole. */
  answers: number;
}

export type Connections = ReturnType<typeof connectionsOf>;

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
