// Opens the port of the service.
import { createServer, type Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import { StartupError } from '../../system/startup-error.ts';

/** The address that `localhost` also is. */
const secondLoopback = '::1';

/** What a machine without IPv6 says to it. */
const noAddress: readonly unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** The error codes for a host that is another machine's or does not exist. */
const noHost: readonly unknown[] = [...noAddress, 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

/**
 * Opens the port. `localhost` is both loopback addresses, since clients differ in which they try: the second hands
 * its connections to the server of the first, so that what holds for one (H4, W2, the drain) holds for both. Fastify
 * would open another server for it, which answers malformed requests in Node's way.
 *
 * @throws StartupError if the port cannot be had; nothing is open then
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<void> {
  try {
    await (host === 'localhost' ? listenOnLoopback(app, port) : open(app, host, port));
  } catch (error) {
    const code = codeOf(error);
    if (noHost.includes(code)) {
      throw new StartupError(`${host} is no address of this machine. Choose another with MEMBERDOOR_HOST.`);
    }
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const why = code === 'EACCES' ? 'is not allowed to this user' : 'is in use';
    throw new StartupError(`The port ${port} ${why}. Choose another with MEMBERDOOR_PORT.`);
  }
}

const open = (app: FastifyInstance, host: string, port: number) =>
  app.listen({ host, port, listenTextResolver: () => 'listening' });

async function listenOnLoopback(app: FastifyInstance, port: number): Promise<void> {
  const second = handingTo(app);
  // Requests under way are waited for by the app, whichever address they came to.
  app.addHook('onClose', async () => {
    second.close();
  });
  await open(app, '127.0.0.1', port);
  try {
    await new Promise<void>((resolve, reject) => {
      second.on('error', reject);
      second.listen({ host: secondLoopback, port, ipv6Only: true }, resolve);
    });
  } catch (error) {
    if (noAddress.includes(codeOf(error))) return;
    await app.close();
    throw error;
  }
}

/** A server of connections alone, which the app's server answers. */
function handingTo(app: FastifyInstance): Server {
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    app.server.emit('connection', socket);
  });
  // A socket tells of what it cannot read to the server that accepted it.
  second.on('clientError', (error: Error, socket: Socket) => {
    app.server.emit('clientError', error, socket);
  });
  return second;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : '');
