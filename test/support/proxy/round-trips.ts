import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** Stands between a store and its database, and counts the round trips. */
export interface TripCounter {
  /** The address of the database by way of this. */
  readonly url: string;
  /** How many times something went to the database that did not know what the database said last. */
  trips(): number;
  /** Breaks the connection that is used next, with what is sent on it. */
  cutNext(): void;
  stop(): Promise<void>;
}

/** @param url the database's address */
export async function countTrips(url: string): Promise<TripCounter> {
  const { hostname: host, port } = new URL(url);
  let trips = 0;
  let isCutting = false;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = dial({ host, port: Number(port), noDelay: true });
    client.setNoDelay(true);
    let isAnswered = true;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (sent) => {
      if (isCutting) {
        isCutting = false;
        client.destroy();
        return;
      }
      if (isAnswered) trips += 1;
      isAnswered = false;
      upstream.write(sent);
    });
    upstream.on('data', (answer) => {
      isAnswered = true;
      client.write(answer);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const own = (server.address() as AddressInfo).port;
  return {
    url: url.replace(`:${port}/`, `:${own}/`),
    trips: () => trips,
    cutNext: () => {
      isCutting = true;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
