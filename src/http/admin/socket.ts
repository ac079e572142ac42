// The local socket through which the command reaches the running service.
import { chmodSync, rmSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import fastify, { LogController } from 'fastify';
import { connectionsCheckingInterval, requestTimeout, socketPathBytes } from '../../core/limits.ts';
import { noticeLength } from '../../core/members/limits.ts';
import type { Actor } from '../../core/operators/permission.ts';
import type { Operation } from '../../operations/admin/operation.ts';
import { localUrl, socketPath, userHeader } from '../../operations/service/command-socket.ts';
import { sendJson } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { serveOperations } from './api.ts';

/** The local socket while it is open. */
export interface LocalSocket {
  /** Finishes the requests that have arrived whole, and removes the file. */
  close(): Promise<void>;
}

/**
 * Opens `memberdoor.sock` in the data folder, for the command: the operations at the paths of the admin API,
 * called by the operator. Who may read the data folder may do everything; a server of its own keeps every
 * request of the network out. The folder's lock is ours, so a socket that is there already is a dead one's.
 *
 * @returns null where the system has no such sockets or the path is too long for one; a line of the log says so
 */
export async function openSocket(
  dataFolder: string,
  operations: readonly Operation[],
  deps: Deps,
  log: FastifyBaseLogger,
): Promise<LocalSocket | null> {
  const path = socketPath(dataFolder);
  const problem = socketProblem(path);
  if (problem !== null) {
    log.warn(`no local socket: ${problem}; the command works while the service is stopped`);
    return null;
  }
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    // A client that begins a request must send all of it in this time; the answer may take longer.
    requestTimeout,
    http: { headersTimeout: requestTimeout, connectionsCheckingInterval },
    routerOptions: { querystringParser: () => ({}), maxParamLength: noticeLength },
  });
  serveOperations(app, operations, deps, async ({ headers }) => ({
    actor: operatorOf(headers[userHeader]),
  }));
  // Where there is one tenant, the command need not name it.
  app.get(`${localUrl}/tenants`, async (_request, reply) =>
    sendJson(reply, { hosts: deps.tenants.all().map(({ host }) => host) }),
  );
  const waiting = unansweredSockets(app);
  try {
    rmSync(path, { force: true });
    await app.listen({ path, listenTextResolver: () => 'listening to the command' });
    // The umask keeps other users out before this too.
    chmodSync(path, 0o600);
  } catch (error) {
    // Members can sign in all the same where the file system holds no sockets.
    log.warn({ err: error }, 'no local socket; the command works while the service is stopped');
    await app.close();
    return null;
  }
  return {
    close: async () => {
      for (const socket of waiting) socket.destroy();
      await app.close();
    },
  };
}

/** The operator, with who the command says runs it. */
function operatorOf(said: string | string[] | undefined): Extract<Actor, { kind: 'operator' }> {
  try {
    const user = decodeURIComponent(String(said ?? ''));
    return user === '' ? { kind: 'operator' } : { kind: 'operator', user };
  } catch {
    return { kind: 'operator' };
  }
}

/** The connections over which no whole request has come: a stop does not wait for them. */
function unansweredSockets(app: FastifyInstance): ReadonlySet<Socket> {
  const waiting = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    waiting.add(socket);
    socket.on('close', () => waiting.delete(socket));
  });
  app.addHook('preValidation', async ({ raw }) => {
    waiting.delete(raw.socket);
  });
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.socket.destroyed) waiting.add(raw.socket);
  });
  return waiting;
}

function socketProblem(path: string): string | null {
  if (process.platform === 'win32') return 'this system has none';
  const most = process.platform === 'linux' ? socketPathBytes.linux : socketPathBytes.other;
  if (Buffer.byteLength(path) > most) return `the path ${path} is longer than ${most} bytes`;
  // Where every user may write, one could put a file of their own in its place before it is closed to others.
  const mode = statSync(dirname(path), { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o002) === 0 ? null : `everybody may write into ${dirname(path)}`;
}
