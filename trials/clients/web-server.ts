// An Express app on a free port, for the libraries that are made for one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { library } from './library.ts';

/** As much of Express as the cases use. */
export interface Request extends IncomingMessage {
  readonly params: Readonly<Record<string, string[]>>;
  readonly query: Record<string, unknown>;
}

export interface Response extends ServerResponse {
  json(value: unknown): void;
  redirect(address: string): void;
  status(code: number): Response;
}

export type Handler = (request: Request, response: Response, next: (error?: unknown) => void) => unknown;
export type ErrorHandler = (
  error: Error & { readonly status?: number },
  request: Request,
  response: Response,
  next: () => void,
) => unknown;

export interface Express {
  set(name: string, value: unknown): void;
  use(...handlers: (string | Handler | ErrorHandler)[]): void;
  get(path: string, ...handlers: Handler[]): void;
  all(path: string, ...handlers: Handler[]): void;
  listen(port: number, host: string): Server;
}

export interface ExpressLibrary {
  readonly default: (() => Express) & { urlencoded(options: object): Handler };
}

/**
 * Starts a web server with what `fill` adds to it, and ends it after `use`.
 *
 * @param fill may register clients, as it knows the address
 */
export async function withWebServer<Made>(
  fill: (app: Express, origin: string) => Promise<Made>,
  use: (origin: string, made: Made) => Promise<void>,
): Promise<void> {
  const express = await library<ExpressLibrary>('express');
  const app = express.default();
  const server = app.listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the web server has no port');
    const origin = `http://localhost:${address.port}`;
    await use(origin, await fill(app, origin));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** What a page of the app shows as JSON. */
export async function shown<Answer>(page: { evaluate(script: string): Promise<unknown> }): Promise<Answer> {
  return JSON.parse(String(await page.evaluate('document.body.innerText'))) as Answer;
}
