import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A request that reached an app, with its form if it was a POST. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly form: URLSearchParams;
}

/** A client's own web server on a loopback port: where sign-ins come back to. */
export interface TestApp {
  readonly origin: string;
  /** The requests so far that came to this path. */
  received(path: string): readonly Received[];
  stop(): Promise<void>;
}

/** What an app serves beside an empty page: by path, a type and a body. */
export type Files = Readonly<Record<string, { readonly type: string; readonly body: string | Buffer }>>;

/** Starts one on any free port; a redirect_uri on a loopback host may name whichever it is (decision 8). */
export async function startApp(files: Files = {}): Promise<TestApp> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    answer(request, response, files, requests).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Not 'localhost', which is ::1 alone on some machines: tests reach an app by 127.0.0.1 too.
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the app has no port');
  return {
    origin: `http://localhost:${address.port}`,
    received: (path) => requests.filter(({ url }) => url.pathname === path),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  files: Files,
  requests: Received[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  requests.push({ method: request.method ?? '', url, form });
  const { type, body } = files[url.pathname] ?? {
    type: 'text/html; charset=utf-8',
    body: '<!doctype html><title>App</title><link rel="icon" href="data:,"><h1>App</h1>',
  };
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
