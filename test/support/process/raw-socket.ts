import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';

/** What `localhost` may be on this machine: without IPv6 it is one address. */
export const loopbackAddresses: readonly string[] = Object.values(networkInterfaces())
  .flatMap((all) => (all ?? []).map(({ address }) => address))
  .filter((address) => address === '127.0.0.1' || address === '::1');

/** A bare TCP connection: what goes over it is what the test says, well-formed or not. */
export interface RawSocket {
  write(text: string | Buffer): void;
  /** Sends FIN: this side has said all it will say. */
  end(): void;
  /** Resolves when what came in matches, with all of it; rejects if the connection ends without it. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves when the other side has closed, with all that came in. */
  readonly closed: Promise<string>;
  destroy(): void;
}

export async function rawSocket(port: number, host = '127.0.0.1'): Promise<RawSocket> {
  const socket = connect({ port, host });
  let received = '';
  let waiting: (() => void)[] = [];
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    for (const look of waiting) look();
  });
  // A peer that resets the connection has closed it, which is what tests ask about.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    write: (text) => {
      if (!socket.destroyed) socket.write(text);
    },
    end: () => {
      socket.end();
    },
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(received)) return;
          waiting = waiting.filter((other) => other !== look);
          resolve(received);
        };
        waiting.push(look);
        closed.then(() => reject(new Error(`closed after: ${received}`)));
        look();
      }),
    closed,
    destroy: () => {
      socket.destroy();
    },
  };
}

/** Sends bytes as they are and returns all that came back until the other side closed. */
export async function rawExchange(port: number, text: string | Buffer, host?: string): Promise<string> {
  const socket = await rawSocket(port, host);
  socket.write(text);
  return socket.closed;
}
