import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** A form (sent form-encoded), or a body as it is. */
  readonly body?: URLSearchParams | Record<string, string> | string | Buffer;
}

/** Speaks HTTP to one port of the loopback address, with any Host: a real socket, kept alive. */
export interface HttpClient {
  (host: string, path: string, ask?: Ask): Promise<Answer>;
  /** Closes the sockets. */
  close(): void;
}

export function httpClient(port: number, sockets = 64): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const send = (host: string, path: string, ask?: Ask) =>
    exchange(host, path, ask, (options, answered) => request({ ...options, agent, port }, answered));
  return Object.assign(send, { close: () => agent.destroy() });
}

/** One request over a connection that the caller opens, and its answer. */
export function exchange(
  host: string,
  path: string,
  { method, headers = {}, body }: Ask = {},
  open: (options: RequestOptions, answered: (message: IncomingMessage) => void) => ClientRequest,
): Promise<Answer> {
  const isForm = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const payload = isForm ? new URLSearchParams(body).toString() : body;
  return new Promise<Answer>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      path,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        host,
        ...(isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
        ...headers,
      },
    };
    const sent = open(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, text, json: <T>() => JSON.parse(text) as T });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}
