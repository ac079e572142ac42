// The local socket through which the command reaches the running service.
import { once } from 'node:events';
import { chmodSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import fastify, { LogController } from 'fastify';
import { connectionsCheckingInterval, requestTimeout, socketPathBytes } from '../../core/limits.ts';
import { noticeLength } from '../../core/members/limits.ts';
import type { Actor } from '../../core/operators/permission.ts';
import type { Operation } from '../../operations/admin/operation.ts';
import { localUrl, socketPath, userHeader } from '../../operations/service/command-socket.ts';
import { createServer } from '../../system/http.ts';
import { sendJson } from '../answers.ts';
import type { Deps } from '../deps.ts';

/** The local socket while it is open. */
export interface LocalSocket {
  /** Finishes the requests that have arrived whole, and removes the file. */
  close(): Promise<void>;
}

/** A table of operations, or what loads it. */
type Operations = readonly Operation[] | (() => Promise<readonly Operation[]>);

/**
 * Opens `memberdoor.sock` in the data folder, for the command: the operations at the paths of the admin API,
 * called by the operator. A user who may read the data folder may do everything; a server of its own keeps every
 * request of the network out. The folder's lock is ours, so a socket that is there already is a dead one's.
 *
 * @param operations are loaded, and their routes made, when the command comes first
 * @returns null where the system has no such sockets or the path is too long for one; a line of the log says so
 */
export async function openSocket(
  dataFolder: string,
  operations: Operations,
  deps: Deps,
  log: FastifyBaseLogger,
): Promise<LocalSocket | null> {
  const path = socketPath(dataFolder);
  const problem = socketProblem(path);
  if (problem !== null) {
    log.warn(`no local socket: ${problem}; the command works while the service is stopped`);
    return null;
  }
  let app: ReturnType<typeof commandApp> | null = null;
  const server = createServer(
    // A client that begins a request must send all of it in this time; the answer may take longer.
    { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval },
    (request, response) => {
      app ??= commandApp(waiting.watch, operations, deps, log);
      app.then(
        ({ routing }) => routing(request, response),
        (error: unknown) => {
          app = null;
          log.error({ err: error }, 'the command cannot be answered');
          response.destroy();
        },
      );
    },
  );
  const waiting = unansweredSockets(server);
  try {
    rmSync(path, { force: true });
    server.listen({ path });
    await once(server, 'listening');
    log.info('listening to the command');
    // The umask keeps other users out before this too.
    chmodSync(path, 0o600);
  } catch (error) {
    // Members can sign in all the same where the file system holds no sockets.
    log.warn({ err: error }, 'no local socket; the command works while the service is stopped');
    server.close();
    return null;
  }
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      waiting.destroy();
      await closed;
      await (await app)?.close();
    },
  };
}

async function commandApp(
  watch: (app: FastifyInstance) => void,
  operations: Operations,
  deps: Deps,
  log: FastifyBaseLogger,
): Promise<Pick<FastifyInstance, 'routing'> & { close(): Promise<unknown> }> {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    serverFactory: () => createServer(),
    routerOptions: { querystringParser: () => ({}), maxParamLength: noticeLength },
  });
  watch(app);
  const { serveOperations } = await import('./api.ts');
  const table = typeof operations === 'function' ? await operations() : operations;
  serveOperations(app, table, deps, async ({ headers }) => ({ actor: operatorOf(headers[userHeader]) }));
  // Where there is one tenant, the command need not name it.
  app.get(`${localUrl}/tenants`, async (_request, reply) =>
    sendJson(reply, { hosts: deps.tenants.all().map(({ host }) => host) }),
  );
  await app.ready();
  // The app itself is a promise of its own kind.
  return { routing: app.routing, close: () => app.close() };
}

/** The operator, with the user who runs the command, as the command says. */
function operatorOf(said: string | string[] | undefined): Extract<Actor, { kind: 'operator' }> {
  try {
    const user = decodeURIComponent(String(said ?? ''));
    return user === '' ? { kind: 'operator' } : { kind: 'operator', user };
  } catch {
    return { kind: 'operator' };
  }
}

/** The connections over which no whole request has come: a stop does not wait for them. */
function unansweredSockets(server: Server) {
  const waiting = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    waiting.add(socket);
    socket.on('close', () => waiting.delete(socket));
  });
  return {
    destroy: () => {
      for (const socket of waiting) socket.destroy();
    },
    /** Looks at the requests that an app takes. */
    watch: (app: FastifyInstance) => {
      app.addHook('preValidation', async ({ raw }) => {
        waiting.delete(raw.socket);
      });
      app.addHook('onResponse', async ({ raw }) => {
        if (!raw.socket.destroyed) waiting.add(raw.socket);
      });
    },
  };
}

function socketProblem(path: string): string | null {
  if (process.platform === 'win32') return 'this system has none';
  const most = process.platform === 'linux' ? socketPathBytes.linux : socketPathBytes.other;
  if (Buffer.byteLength(path) > most) return `the path ${path} is longer than ${most} bytes`;
  // Where every user may write, one could put a file of their own in its place before it is closed to others.
  const mode = statSync(dirname(path), { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o002) === 0 ? null : `everybody may write into ${dirname(path)}`;
}
