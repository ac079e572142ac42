// How the service logs, and what never reaches a line of the log.
import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';
import { stdTimeFunctions } from 'pino';
import type { Config } from '../config.ts';
import { outageLogInterval } from '../core/operators/limits.ts';
import { PasswordsBusy } from '../secrets/password.ts';
import { StorageUnavailable } from '../storage/store.ts';

type LoggerOptions = Exclude<FastifyServerOptions['logger'], boolean | undefined>;
type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/**
 * How the service logs: one JSON line an event, readable text on a terminal. Only what the serializers name
 * is written: no query string, header, cookie or body ever reaches a line (architecture, rule 15).
 *
 * @param elapsed ms on a clock that is never set
 */
export function logOptions(
  level: Config['logLevel'],
  elapsed: () => number = () => performance.now(),
): LoggerOptions {
  return {
    level,
    base: null,
    formatters: { level: (name) => ({ level: name }) },
    timestamp: stdTimeFunctions.isoTime,
    hooks: { logMethod: thinOutages(elapsed) },
    serializers: {
      req: (request) => ({ method: request.method }),
      res: (response) => ({ status: response.statusCode }),
      err: describeError,
    },
  };
}

/** Whether nothing was done because too much is waiting or storage is in trouble; the same again may work. */
export function isOutage(error: unknown): boolean {
  return error instanceof StorageUnavailable || error instanceof PasswordsBusy;
}

/**
 * One line a minute of each kind is written of an outage, since every request meets it, with how many were not:
 * a disk that is full would be kept full by the log of it (security, Z7).
 */
function thinOutages(elapsed: () => number): LogMethod {
  // Its keys are texts of ours, so there are few.
  const kinds = new Map<string, { readonly since: number; unwritten: number }>();
  return function thin(args, method) {
    const [facts, text] = args as unknown as readonly [{ readonly err?: unknown } | string, string?];
    const error = typeof facts === 'object' ? facts.err : undefined;
    if (!isOutage(error)) return method.apply(this, args);
    const kind = `${text}: ${(error as Error).message}`;
    const known = kinds.get(kind);
    if (known !== undefined && elapsed() - known.since < outageLogInterval) {
      known.unwritten += 1;
      return;
    }
    kinds.set(kind, { since: elapsed(), unwritten: 0 });
    const more = known === undefined || known.unwritten === 0 ? {} : { unwritten: known.unwritten };
    method.apply(this, [{ err: error, ...more }, text] as never);
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
