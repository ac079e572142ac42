import {
  createServer as createHttp,
  type IncomingHttpHeaders,
  type RequestListener,
  request as sendOn,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

/** A reverse proxy of a few lines, which does what it is told to, be it right or wrong. */
export interface TestProxy {
  readonly port: number;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** The port that it passes requests on to. */
  readonly to: number;
  /** null speaks plain http */
  readonly certificate: Certificate | null;
  /** Changes what is passed on; by default nothing is. */
  readonly up?: (headers: IncomingHttpHeaders) => void;
  /** Changes what is answered. */
  readonly down?: (headers: IncomingHttpHeaders) => void;
}

/** What proxies add as a rule: the caller's address behind what it claims, and the scheme. */
export function forward(headers: IncomingHttpHeaders, caller = '127.0.0.1', scheme = 'https'): void {
  const claimed = headers['x-forwarded-for'];
  headers['x-forwarded-for'] = claimed === undefined ? caller : `${String(claimed)}, ${caller}`;
  headers['x-forwarded-proto'] = scheme;
}

export async function startProxy({
  to,
  certificate,
  up = () => {},
  down = () => {},
}: ProxyOptions): Promise<TestProxy> {
  const pass: RequestListener = (request, response) => {
    const headers = { ...request.headers };
    up(headers);
    const passed = sendOn(
      { host: '127.0.0.1', port: to, method: request.method, path: request.url, headers, agent: false },
      (answer) => {
        const changed = { ...answer.headers };
        down(changed);
        response.writeHead(answer.statusCode ?? 502, changed);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.writeHead(502).end());
    request.pipe(passed);
  };
  const server = certificate === null ? createHttp(pass) : createHttps({ ...certificate }, pass);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
