import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';
import pino from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';
import { logFlushInterval, logPieceBytes } from './core/operators/limits.ts';

/**
 * How the service logs: one JSON line an event, readable text on a terminal. Only what the serializers name
 * is written: no query string, header, cookie or body ever reaches a line (design, rule 15).
 */
export function logOptions(
  level: Config['logLevel'],
): Exclude<FastifyServerOptions['logger'], boolean | undefined> {
  return {
    level,
    base: null,
    serializers: {
      req: (request) => ({ method: request.method }),
      res: (response) => ({ status: response.statusCode }),
      err: describeError,
    },
  };
}

/** Where the lines of the log go. */
export interface LogStream {
  write(line: string): void;
  /** Writes what still waits to be written; to be called when the process ends. */
  flush(): void;
}

/**
 * Standard output. Lines are written a few at a time, since a system call for each is dearer than most
 * answers; none waits longer than `logFlushInterval`. On a terminal each is written at once, for people.
 */
export function logStream(isTerminal: boolean): LogStream {
  if (isTerminal) {
    const stream = pretty({ colorize: true, sync: true, ignore: 'reqId' });
    return { write: (line) => stream.write(line), flush: () => {} };
  }
  const stream = pino.destination({
    dest: 1,
    sync: true,
    minLength: logPieceBytes,
    periodicFlush: logFlushInterval,
  });
  return { write: (line) => stream.write(line), flush: () => stream.flushSync() };
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
