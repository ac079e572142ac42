import { Agent, request } from 'node:https';
import { type Ask, exchange, type HttpClient } from '../../test/support/http.ts';

/** Speaks HTTPS to one port of the loopback address, by any name, as clients of that name do. */
export function tlsClient(port: number, authority: string): HttpClient {
  const agent = new Agent({ keepAlive: true });
  const send = (host: string, path: string, ask?: Ask) =>
    exchange(host, path, ask, (options, answered) =>
      request({ ...options, agent, port, ca: authority, servername: host }, answered),
    );
  return Object.assign(send, { close: () => agent.destroy() });
}
