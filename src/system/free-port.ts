// Finds a port that is free on each address of localhost.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that Linux gives to outgoing connections, so that none of them takes it before it is used. */
const ports = { least: 15_000, most: 32_000 } as const;

const noAddress = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.least, ports.most);
    if ((await isFree('127.0.0.1', port)) && (await isFree('::1', port))) return port;
  }
}

/** An address that this machine has not got is in no one's way. */
const isFree = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(noAddress.includes(code)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
