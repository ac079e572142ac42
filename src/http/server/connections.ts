import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The connections that a server has, as they come and go. */
export function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}
