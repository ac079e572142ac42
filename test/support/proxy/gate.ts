import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a program and a server, and passes on what both say, until it is told not to. */
export interface Gate {
  readonly port: number;
  /**
   * Passes nothing on, either way, and closes nothing: a network that has lost its way. What is said meanwhile, the
   * end of a connection included, waits in the sockets, and arrives when it is opened again.
   */
  hold(): void;
  open(): void;
  close(): Promise<void>;
}

/** The two sockets of a connection: the program's, and the one to the server. */
type Pair = readonly [Socket, Socket];

/**
 * @param to the port of the server
 * @param isCut sees each piece of what the server says, before it is passed on; with true both sides lose the connection
 *   instead
 */
export async function openGate(to: number, isCut: (said: Buffer) => boolean = () => false): Promise<Gate> {
  const pairs = new Set<Pair>();
  let isHeld = false;
  const pass = (from: Socket, into: Socket, end: () => void, cuts: typeof isCut) => {
    from.setNoDelay(true);
    from.on('data', (said: Buffer) => {
      if (cuts(said)) end();
      else if (!into.write(said)) from.pause();
    });
    into.on('drain', () => {
      if (!isHeld) from.resume();
    });
    from.on('end', () => into.end());
    from.on('error', end);
    from.on('close', () => {
      if (into.destroyed) end();
    });
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    pass(near, far, end, () => false);
    pass(far, near, end, isCut);
    if (isHeld) far.pause();
    else near.resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    hold: () => {
      isHeld = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    open: () => {
      isHeld = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const [near, far] of pairs) {
        near.destroy();
        far.destroy();
      }
      await closed;
    },
  };
}
