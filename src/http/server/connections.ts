// The connections of a server, and what each has asked for and not been given yet.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection, with what it waits for. */
export interface Connection {
  readonly socket: Socket;
  /** Requests that have come and whose answers have not been handed over whole. */
  readonly answers: number;
}

/** The connections that a server has, as they come and go. */
export interface Connections extends Iterable<Connection> {
  /** Undefined once it is closed. */
  of(socket: Socket): Connection | undefined;
  /** Answers in hand on all of them. */
  readonly answers: number;
  /** Calls back whenever an answer has left, and whenever a connection is gone with all that it waited for. */
  onAnswered(listener: (connection: Connection) => void): void;
}

export function connectionsOf(server: Server): Connections {
  const connections = new Map<Socket, { socket: Socket; answers: number }>();
  const listeners: ((connection: Connection) => void)[] = [];
  let answers = 0;
  const lessBy = (count: number, connection: { answers: number; socket: Socket }) => {
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
    of: (socket) => connections.get(socket),
    get answers() {
      return answers;
    },
    onAnswered: (listener) => listeners.push(listener),
    [Symbol.iterator]: () => connections.values(),
  };
}
