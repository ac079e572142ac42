import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';

/**
 * How the service logs: one JSON line an event, readable text on a terminal. Only what the serializers name
 * is written: no query string, header, cookie or body ever reaches a line (design, rule 15).
 */
export function logOptions(
  level: Config['logLevel'],
  isTerminal: boolean,
): Exclude<FastifyServerOptions['logger'], boolean | undefined> {
  return {
    level,
    base: null,
    serializers: {
      req: (request) => ({ method: request.method }),
      res: (response) => ({ status: response.statusCode }),
      err: describeError,
    },
    ...(isTerminal ? { stream: pretty({ colorize: true, sync: true, ignore: 'reqId' }) } : {}),
  };
}

/** Type, message and place of an error. Messages of ours hold no input; those of parsers may, so only ours. */
function describeError(error: Error & { code?: string }) {
  return {
    type: error.name,
    ...(error.code === undefined ? {} : { code: error.code }),
    stack: (error.stack ?? '').split('\n').slice(1, 12).join('\n'),
    ...(error.cause instanceof Error ? { cause: error.cause.message } : {}),
    message: error.message,
  };
}

export type Log = FastifyBaseLogger;
