// A connection to PostgreSQL that prepares the queries of the hot path once.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { postgresPool } from '../../core/operators/limits.ts';
import { ConnectionLost, isStale } from './errors.ts';

const { builtins, getTypeParser } = pg.types;

/** Numbers of 64 bits are times and counts of ours: none is above 2^53. */
const numbers: ReadonlySet<number> = new Set([builtins.INT8, builtins.NUMERIC]);

/** What reads the columns of an answer. */
const columnTypes = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    numbers.has(type) ? Number : getTypeParser(type, format)) as typeof getTypeParser,
};

/** The names under which the server keeps prepared queries, by their text. */
const names = new Map<string, string>();
/** Raised where another process has changed tables: every query is prepared anew, under another name. */
let generation = 0;

/** Has every connection prepare a query when it asks it first. */
export function keepPrepared(text: string): void {
  if (names.has(text)) return;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, `${hash} ${generation}`);
}

/**
 * What Kysely asks: a text with its values. The server is told the name of a query that is kept. Of a text with
 * several statements, which has no values, the answer to the last is the answer.
 */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg types its many forms one by one; this passes all of them on
  override query(...given: any[]): any {
    const [text, values] = given;
    const ask = super.query as (...given: unknown[]) => unknown;
    if (typeof text !== 'string' || given.length > 2) return ask.apply(this, given);
    const name = names.get(text);
    const asked = name === undefined ? ask.call(this, text, values) : ask.call(this, { name, text, values });
    return (asked as Promise<unknown>).then(
      (answer) => {
        const last = (Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult;
        // After a statement that failed the server takes everything back, whatever it is asked, and says so no louder.
        if (text === 'commit' && last.command !== 'COMMIT')
          throw new Error('a statement of the transaction failed');
        return last;
      },
      (error: unknown) => {
        if (isStale(error) && name === names.get(text)) {
          generation += 1;
          names.clear();
        }
        throw error instanceof pg.DatabaseError ? error : lost(error);
      },
    );
  }
}

/** The driver's words name the server at most: neither the address that it was given nor its password. */
function lost(cause: unknown): ConnectionLost {
  const { message, code } = cause as Error & { readonly code?: string };
  return new ConnectionLost(message === '' ? code : message, { cause });
}

/** What the server calls the connections of a service's processes. */
export const processName = 'memberdoor';

/**
 * The connections of one process to a database.
 *
 * @param url `postgres://user:password@host:port/database`
 * @param name what the server calls them
 */
export function openPool(url: string, name = processName) {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: postgresPool.connections,
    connectionTimeoutMillis: postgresPool.patience,
    types: columnTypes,
    Client: PreparingClient,
  });
  // A connection that breaks while it is not used is replaced by the next that is asked for.
  pool.on('error', () => {});
  return {
    options: pool.options,
    connect: () =>
      pool.connect().catch((error: unknown) => {
        throw error instanceof pg.DatabaseError ? error : lost(error);
      }),
    end: () => pool.end(),
    /** Its connections, and the requests that wait for one. */
    counts: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waited_for: pool.waitingCount,
    }),
  };
}
