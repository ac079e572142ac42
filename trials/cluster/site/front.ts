// The proxy before the processes of a service: round robin, request by request.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Front {
  readonly port: number;
  /** Sends a process nothing from now on, as a proxy does that found it not ready. */
  leaveOut(process: number): void;
  takeIn(process: number): void;
  close(): Promise<void>;
}

/** @param ports of the processes */
export async function openFront(ports: readonly number[]): Promise<Front> {
  const agents = ports.map(() => new Agent({ keepAlive: true, maxSockets: 300 }));
  const leftOut = new Set<number>();
  let turn = 0;
  /** Every process once, beginning with the one whose turn it is; of those that are left out none. */
  const inTurn = () => {
    turn += 1;
    return ports.map((_, index) => (turn + index) % ports.length).filter((index) => !leftOut.has(index));
  };
  const pass = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method, url: path, headers } = incoming;
    const tryNext = ([index, ...others]: readonly number[]) => {
      // The client cannot know whether what it sent was done.
      if (index === undefined) return answer.destroy();
      const agent = agents[index];
      const passed = request(
        { host: '127.0.0.1', port: ports[index], agent, method, path, headers },
        (received) => {
          answer.writeHead(received.statusCode ?? 502, received.headers);
          received.on('error', () => answer.destroy());
          received.pipe(answer);
        },
      );
      // A process to which there is no connection was sent nothing; what any other was sent may have been done.
      passed.on('error', (error) => {
        if ('code' in error && error.code === 'ECONNREFUSED') tryNext(others);
        else answer.destroy();
      });
      passed.end(Buffer.concat(chunks));
    };
    tryNext(inTurn());
  };
  const server = createServer(
    (incoming, answer) => void pass(incoming, answer).catch(() => answer.destroy()),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    leaveOut: (index) => {
      leftOut.add(index);
    },
    takeIn: (index) => {
      leftOut.delete(index);
    },
    close: () =>
      new Promise((resolve) => {
        for (const agent of agents) agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
